// Any pod, written as an API server would write it, is read back as the same value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "adapters/kube/objects/any_pod_for_test.h"
#include "adapters/kube/objects/decode.h"

namespace gs::kube {
namespace {

RC_GTEST_PROP(DecodePodProperty, ReadsBackWhatAnApiServerWrites, ()) {
  const model::Pod pod = AnyPod();
  const std::string json = boost::json::serialize(PodJson(pod));
  const auto read = DecodePod(json);
  RC_ASSERT(read.ok());
  if (!(*read == pod)) RC_LOG() << json;
  RC_ASSERT(*read == pod);
}

}  // namespace
}  // namespace gs::kube
