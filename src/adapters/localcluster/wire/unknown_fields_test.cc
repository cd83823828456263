#include "adapters/localcluster/wire/unknown_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gs::localcluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DropUnknownFields, TellsWhereTheyWere) {
  auto pod = boost::json::parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","x":1},
    "spec":{"containers":[{"name":"c","imag":"x"}],"nodeSelector":{"any":"thing"}},"more":{}})")
                 .as_object();
  EXPECT_THAT(DropUnknownFields(*kube::FindApiType("v1", "Pod"), pod),
              ElementsAre("metadata.x", "more", "spec.containers[0].imag"));
  EXPECT_EQ(boost::json::serialize(pod.at("spec")),
            R"({"containers":[{"name":"c"}],"nodeSelector":{"any":"thing"}})");
}

TEST(DropUnknownFields, KnowsFieldsThatAreInlined) {
  auto pod = boost::json::parse(R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"m",
    "items":[{"key":"k","path":"p"}]}}],"containers":[{"name":"c","env":[{"name":"E","valueFrom":
    {"secretKeyRef":{"name":"s","key":"k"}}}],"livenessProbe":{"httpGet":{"port":"web"}}}]}})")
                 .as_object();
  EXPECT_THAT(DropUnknownFields(*kube::FindApiType("v1", "Pod"), pod), IsEmpty());
}

TEST(DropUnknownFields, ClaimsInAStatefulSetSayWhatTheyAre) {
  auto set = boost::json::parse(R"({"spec":{"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim",
    "apiVersion":"v1","metadata":{"name":"d"},"spec":{"resources":{"requests":{"storage":"1Gi"}}}}]}})")
                 .as_object();
  EXPECT_THAT(DropUnknownFields(*kube::FindApiType("apps/v1", "StatefulSet"), set), IsEmpty());
}

}  // namespace
}  // namespace gs::localcluster
