#include "adapters/localcluster/wire/protobuf.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "adapters/localcluster/wire/api_fields.h"

namespace gs::localcluster {
namespace {

std::string Varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7U) text += static_cast<char>(0x80U | (value & 0x7fU));
  return text + static_cast<char>(value);
}
std::string Text(std::uint32_t number, const std::string& bytes) {
  return Varint((number << 3U) | 2U) + Varint(bytes.size()) + bytes;
}
std::string Number(std::uint32_t number, std::uint64_t value) {
  return Varint(number << 3U) + Varint(value);
}
std::string Envelope(const std::string& version, const std::string& kind,
                     const std::string& object) {
  return std::string("k8s\0", 4) + Text(1, Text(1, version) + Text(2, kind)) + Text(2, object);
}
std::string Read(const std::string& bytes) {
  const auto object = ReadProtobuf(bytes);
  return object ? boost::json::serialize(*object) : ToString(object.error());
}

TEST(ReadProtobuf, AConfigMap) {
  const std::string metadata = Text(1, "a") + Text(2, "") + Number(7, 0) + Text(8, "");
  EXPECT_EQ(Read(Envelope("v1", "ConfigMap",
                          Text(1, metadata) + Text(2, Text(1, "x") + Text(2, "y")) +
                              Text(3, Text(1, "b") + Text(2, "\1\2")))),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"y"},)"
            R"("binaryData":{"b":"AQI="}})");
}

TEST(ReadProtobuf, ZeroesThatWereMeantStay) {
  EXPECT_EQ(Read(Envelope("apps/v1", "Deployment", Text(2, Number(1, 0) + Number(7, 0)))),
            R"({"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":0}})");
}

TEST(ReadProtobuf, FieldsOfAnotherTypeAreInlined) {
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

TEST(ReadProtobuf, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(ReadProtobuf("{}").ok());
  EXPECT_FALSE(ReadProtobuf(Envelope("v1", "Unicorn", "")).ok());
  const auto whole = Envelope("v1", "ConfigMap", Text(1, Text(1, "a")));
  EXPECT_FALSE(ReadProtobuf(Envelope("v1", "ConfigMap", "\x0a\x7f")).ok());
  EXPECT_TRUE(ReadProtobuf(whole).ok());
}

TEST(FindApiType, KnowsTheKindsThatAreServed) {
  for (const auto* kind : {"Pod", "Node", "Namespace", "Secret", "Service"}) {
    EXPECT_NE(FindApiType("v1", kind), nullptr) << kind;
  }
  EXPECT_NE(FindApiType("rbac.authorization.k8s.io/v1", "ClusterRole"), nullptr);
  EXPECT_EQ(FindApiType("v1", "ClusterRole"), nullptr);
}

}  // namespace
}  // namespace gs::localcluster
