#include "adapters/localcluster/wire/misfits.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace gs::localcluster {
namespace {

std::string MisfitIn(std::string_view version, std::string_view kind, std::string_view text) {
  return FindMisfit(*kube::FindApiType(version, kind), boost::json::parse(text).as_object())
      .value_or("none");
}

TEST(FindMisfit, TellsWhatIsWhere) {
  EXPECT_EQ(MisfitIn("apps/v1", "Deployment", R"({"spec":{"replicas":"2"}})"),
            "cannot unmarshal string into field spec.replicas of type integer");
  EXPECT_EQ(MisfitIn("v1", "Pod", R"({"metadata":{"labels":{"a":1}}})"),
            "cannot unmarshal number into field metadata.labels of type string");
  EXPECT_EQ(MisfitIn("v1", "Pod", R"({"spec":{"containers":{"name":"c"}}})"),
            "cannot unmarshal object into field spec.containers of type array");
  EXPECT_EQ(
      MisfitIn("v1", "Pod", R"({"spec":{"containers":[{"env":[{"name":"A","value":true}]}]}})"),
      "cannot unmarshal bool into field spec.containers.env.value of type string");
  EXPECT_EQ(MisfitIn("coordination.k8s.io/v1", "Lease", R"({"spec":{"renewTime":"yesterday"}})"),
            "cannot unmarshal string into field spec.renewTime of type time");
}

TEST(FindMisfit, QuantitiesAndBytesMustBeReadable) {
  EXPECT_EQ(MisfitIn("v1", "Node", R"({"status":{"capacity":{"cpu":"many"}}})"),
            "cannot unmarshal string into field status.capacity of type quantity");
  EXPECT_EQ(MisfitIn("v1", "Secret", R"({"data":{"a":"%%"}})"),
            "cannot unmarshal string into field data of type base64");
}

TEST(FindMisfit, QuantitiesAndPortsMayBeNumbersOrText) {
  EXPECT_EQ(MisfitIn("v1", "Pod", R"({"metadata":{"creationTimestamp":null},"spec":{"containers":[
    {"resources":{"limits":{"cpu":2,"memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":"web"}}},
    {"livenessProbe":{"httpGet":{"port":80}}}]}})"),
            "none");
}

}  // namespace
}  // namespace gs::localcluster
