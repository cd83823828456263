#include "adapters/kube/wire/protobuf.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

using wire_test::Envelope;
using wire_test::Number;
using wire_test::Text;

std::string Read(const std::string& bytes) {
  const auto json = ProtobufToJson(bytes);
  return json ? *json : ToString(json.error());
}

TEST(ProtobufToJson, AConfigMap) {
  const std::string metadata = Text(1, "a") + Text(2, "") + Number(7, 0) + Text(8, "");
  EXPECT_EQ(Read(Envelope("v1", "ConfigMap",
                          Text(1, metadata) + Text(2, Text(1, "x") + Text(2, "y")) +
                              Text(3, Text(1, "b") + Text(2, "\1\2")))),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"y"},)"
            R"("binaryData":{"b":"AQI="}})");
}

TEST(ProtobufToJson, ZeroesThatWereMeantStay) {
  EXPECT_EQ(Read(Envelope("apps/v1", "Deployment", Text(2, Number(1, 0) + Number(7, 0)))),
            R"({"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":0}})");
}

TEST(ProtobufToJson, FieldsOfAnotherTypeAreInlined) {
  const std::string volume =
      Text(1, "v") + Text(2, Text(19, Text(1, Text(1, "settings")) + Number(3, 420)));
  const std::string port = Text(2, Number(1, 0) + Number(2, 8080) + Text(3, ""));
  const std::string probe = Text(1, Text(2, port)) + Number(3, 5);
  const std::string container =
      Text(1, "c") + Text(8, Text(1, Text(1, "cpu") + Text(2, Text(1, "2")))) + Text(10, probe);
  EXPECT_EQ(Read(Envelope("v1", "Pod", Text(2, Text(1, volume) + Text(2, container)))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"volumes":[{"name":"v","configMap":{"name":)"
            R"("settings","defaultMode":420}}],"containers":[{"name":"c","resources":{"limits":{)"
            R"("cpu":"2"}},"livenessProbe":{"httpGet":{"port":8080},"timeoutSeconds":5}}]}})");
}

// As a typed server writes them: what has no omitempty is always there.
TEST(ProtobufToJson, ZeroesThatJsonAlwaysHasAreThere) {
  const std::string status = Text(1, "c") + Number(4, 0) + Number(5, 0) + Text(8, "");
  EXPECT_EQ(Read(Envelope("v1", "Pod", Text(3, Text(8, status)))),
            R"({"kind":"Pod","apiVersion":"v1","status":{"containerStatuses":[{"name":"c",)"
            R"("ready":false,"restartCount":0}]}})");
}

// Nobody has to write fields in the order of their numbers, or the items of a list together.
TEST(ProtobufToJson, FieldsMayComeInAnyOrder) {
  const std::string metadata = Text(14, "x") + Text(1, "old") + Text(14, "y") + Text(1, "a");
  EXPECT_EQ(Read(Envelope("v1", "Namespace", Text(1, metadata))),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a",)"
            R"("finalizers":["x","y"]}})");
}

TEST(ProtobufToJson, TimesAreWrittenAsTheirFieldsDo) {
  const std::string time = Number(1, 1'700'000'000) + Number(2, 5'000);
  const std::string metadata = Text(1, "a") + Text(8, time) + Text(9, "") + Number(10, 0);
  const std::string lease = Text(1, metadata) + Text(2, Text(3, time));
  EXPECT_EQ(Read(Envelope("coordination.k8s.io/v1", "Lease", lease)),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a",)"
            R"("creationTimestamp":"2023-11-14T22:13:20Z","deletionTimestamp":null,)"
            R"("deletionGracePeriodSeconds":0},"spec":{"acquireTime":)"
            R"("2023-11-14T22:13:20.000005Z"}})");
}

TEST(ProtobufToJson, WhatMayBeANumberOrATextIsEither) {
  const std::string text = Number(1, 1) + Text(3, "50%");
  const std::string number = Number(1, 0) + Number(2, ~0ULL);
  EXPECT_EQ(
      Read(Envelope("policy/v1", "PodDisruptionBudget", Text(2, Text(1, text) + Text(3, number)))),
      R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","spec":{)"
      R"("minAvailable":"50%","maxUnavailable":-1}})");
}

TEST(ProtobufToJson, BytesThatAreNoJsonAreNotTakenForIt) {
  const auto revision = [](const std::string& raw) {
    return Read(Envelope("apps/v1", "ControllerRevision", Text(2, Text(1, raw))));
  };
  const std::string start = R"({"kind":"ControllerRevision","apiVersion":"apps/v1","data":)";
  EXPECT_EQ(revision(R"({"a":[1]})"), start + R"({"a":[1]}})");
  EXPECT_EQ(revision(R"(1,"x":2)"), start + "null}");
}

TEST(ProtobufToJson, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(ProtobufToJson("{}").ok());
  EXPECT_FALSE(ProtobufToJson(Envelope("v1", "Unicorn", "")).ok());
  const auto whole = Envelope("v1", "ConfigMap", Text(1, Text(1, "a")));
  EXPECT_FALSE(ProtobufToJson(Envelope("v1", "ConfigMap", "\x0a\x7f")).ok());
  EXPECT_TRUE(ProtobufToJson(whole).ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == 4 + 17) continue;  // an envelope around nothing
    EXPECT_FALSE(ProtobufToJson(whole.substr(0, size)).ok()) << size;
  }
}

TEST(FindApiType, KnowsTheKindsThatAreServed) {
  for (const auto* kind : {"Pod", "Node", "Namespace", "Secret", "Service"}) {
    EXPECT_NE(FindApiType("v1", kind), nullptr) << kind;
  }
  EXPECT_NE(FindApiType("rbac.authorization.k8s.io/v1", "ClusterRole"), nullptr);
  EXPECT_EQ(FindApiType("v1", "ClusterRole"), nullptr);
}

}  // namespace
}  // namespace gs::kube
