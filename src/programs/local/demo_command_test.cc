#include "programs/local/demo_command.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "adapters/yaml/parse.h"

namespace gs::local {
namespace {

TEST(Demo, CountsThePodsThatWillCome) {
  const auto objects = yaml::ParseYamlDocuments(
      "{kind: Pod}\n---\n{kind: GpuClaim}\n---\n{kind: StatefulSet, spec: {replicas: 3}}\n---\n"
      "{kind: Deployment}\n---\n{kind: Job, spec: {parallelism: 2}}\n");
  EXPECT_EQ(PodsOf(*objects), 7U);
}

TEST(Demo, ShowsWhoGotWhat) {
  const auto pods = boost::json::parse(R"([
    {"metadata":{"name":"a","annotations":{"gpu.scheduling/claim":"c",
      "gpu.scheduling/visible-devices":"0,1"}},"spec":{"nodeName":"node-a"}},
    {"metadata":{"name":"longer"},"spec":{"nodeName":"n"}}])");
  EXPECT_EQ(PrintPlaces(pods.as_array()),
            "POD      ASKED BY    NODE     GPUS\n"
            "a        claim c     node-a   0,1\n"
            "longer   resources   n        -\n");
}

}  // namespace
}  // namespace gs::local
