#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_storage.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire_test::Envelope;
using wire_test::ListEnvelope;
using wire_test::Number;
using wire_test::Text;

const std::string kAtSeven = Text(1, "") + Text(2, "7") + Text(3, "");

// A page with one object, given as JSON.
std::string PageOf(std::string_view version, const std::string& kind, std::string_view json) {
  const auto object = boost::json::parse(json).as_object();
  return ListEnvelope(version, kind + "List", kAtSeven,
                      {wire_test::Encode(*FindApiType(version, kind), object)});
}

TEST(ProtobufPage, ReadsItemsAndWhereToGoOn) {
  const std::string metadata = Text(1, "") + Text(2, "100") + Text(3, "abc") + Number(4, 1);
  const std::string a = Text(1, Text(1, "a") + Text(3, "team") + Text(8, ""));
  const std::string b = Text(1, Text(1, "b\"")) + Text(2, Text(10, "n"));
  auto page = ParseListPage(ListEnvelope("v1", "PodList", metadata, {a, b}));
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_EQ(page->resource_version, ResourceVersion("100"));
  EXPECT_EQ(page->continue_token, "abc");
  const ListPage moved = *std::move(page);
  EXPECT_THAT(moved.items, ElementsAre(R"({"metadata":{"name":"a","namespace":"team"}})",
                                       R"({"metadata":{"name":"b\""},"spec":{"nodeName":"n"}})"));
}

TEST(ProtobufPage, TakesAListWithoutItems) {
  const auto page = ParseListPage(ListEnvelope("v1", "NodeList", kAtSeven, {}));
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_EQ(page->continue_token, "");
}

TEST(ProtobufPage, LeavesOutWhatNoDecoderReads) {
  const auto page = ParseListPage(PageOf("v1", "Pod", R"({
    "metadata":{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]},
    "spec":{"containers":[{"name":"c","image":"i","args":["x"],
                           "env":[{"name":"E","value":"v"}]}],"restartPolicy":"Always"},
    "status":{"phase":"Running","podIP":"10.0.0.1"}})"));
  ASSERT_TRUE(page.ok()) << page.error();
  EXPECT_THAT(page->items,
              ElementsAre(R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","env":)"
                          R"([{"name":"E","value":"v"}]}]},"status":{"phase":"Running"}})"));
}

// Of a kind of volume that is newer than this program nothing is known, and that has to be seen.
TEST(ProtobufPage, AFieldThatIsNotKnownIsNotTakenForAbsent) {
  const std::string volume = Text(1, "v") + Text(2, Text(199, ""));
  const std::string metadata = Text(1, "a") + Text(3, "team") + Text(5, "1");
  const auto page = ParseListPage(
      ListEnvelope("v1", "PodList", kAtSeven, {Text(1, metadata) + Text(2, Text(1, volume))}));
  ASSERT_TRUE(page.ok()) << page.error();
  const auto pod = DecodePod(page->items.at(0));
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_THAT(pod->rules->unsupported, ElementsAre("spec.volumes.field199"));
}

TEST(ProtobufPage, TextThatIsNoUtf8DoesNotSpoilTheObject) {
  const auto page = ParseListPage(
      ListEnvelope("v1", "NodeList", kAtSeven,
                   {Text(1, Text(1, "a") + Text(11, Text(1, "k") + Text(2, "\xff")))}));
  ASSERT_TRUE(page.ok()) << page.error();
  const auto node = DecodeNode(page->items.at(0));
  ASSERT_TRUE(node.ok()) << node.error();
  EXPECT_EQ(*node->labels.Find("k"), "\xef\xbf\xbd");
}

TEST(ProtobufPage, NodesDecodeAsTheirJsonDoes) {
  constexpr std::string_view kNode = R"({
    "metadata":{"name":"n","uid":"1","labels":{"zone":"a"},"annotations":{"x":"{\"y\":1}"}},
    "spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]},
    "status":{"capacity":{"cpu":"8","nvidia.com/gpu":"4"},
              "allocatable":{"cpu":"7500m","memory":"16Gi","pods":"110","nvidia.com/gpu":"4"},
              "conditions":[{"type":"Ready","status":"True"}],
              "images":[{"names":["a","b"],"sizeBytes":12345678}]}})";
  const auto page = ParseListPage(PageOf("v1", "Node", kNode));
  ASSERT_TRUE(page.ok()) << page.error();
  const auto node = DecodeNode(page->items.at(0));
  ASSERT_TRUE(node.ok()) << node.error();
  EXPECT_EQ(*node, *DecodeNode(kNode));
  EXPECT_EQ(node->allocatable.cpu_milli, 7500);
}

template <class Decode>
void ExpectSame(std::string_view version, const std::string& kind, std::string_view json,
                Decode decode) {
  const auto page = ParseListPage(PageOf(version, kind, json));
  ASSERT_TRUE(page.ok()) << page.error();
  const auto object = decode(page->items.at(0));
  ASSERT_TRUE(object.ok()) << object.error();
  EXPECT_EQ(*object, *decode(json)) << kind;
}

TEST(ProtobufPage, LeasesAndStorageDecodeAsTheirJsonDoes) {
  ExpectSame("coordination.k8s.io/v1", "Lease", R"({"metadata":{"name":"gpu-n-0","uid":"1",
    "resourceVersion":"3","annotations":{"gpu.scheduling/lease-format":"1","gpu.scheduling/node":"n",
    "gpu.scheduling/gpu":"0","gpu.scheduling/scheduler":"s","gpu.scheduling/mode":"exclusive",
    "gpu.scheduling/holders":
      "[{\"namespace\":\"t\",\"name\":\"p\",\"uid\":\"2\",\"plan\":\"0\"}]"}},
    "spec":{"holderIdentity":"me","leaseDurationSeconds":15,
            "renewTime":"2026-01-01T00:00:00.000001Z"}})",
             DecodeLease);
  ExpectSame("v1", "PersistentVolumeClaim", R"({"metadata":{"namespace":"t","name":"c","uid":"1",
    "annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"v",
    "accessModes":["ReadWriteOnce"],"storageClassName":"","volumeMode":"Block",
    "resources":{"requests":{"storage":"1Gi"}},"selector":{"matchLabels":{"a":"b"}}},
    "status":{"phase":"Bound"}})",
             DecodeVolumeClaim);
  ExpectSame("v1", "PersistentVolume", R"({"metadata":{"name":"v","labels":{"a":"b"}},"spec":{
    "capacity":{"storage":"1Gi"},"csi":{"driver":"d","volumeHandle":"h"},
    "accessModes":["ReadWriteOnce"],"claimRef":{"namespace":"t","name":"c","uid":"1"},
    "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
      {"key":"zone","operator":"In","values":["a"]}]}]}}},"status":{"phase":"Available"}})",
             DecodeVolume);
  ExpectSame("storage.k8s.io/v1", "StorageClass", R"({"metadata":{"name":"s"},"provisioner":"p",
    "volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":[{"matchLabelExpressions":[
      {"key":"zone","values":["a","b"]}]}]})",
             DecodeStorageClass);
  ExpectSame("storage.k8s.io/v1", "CSINode", R"({"metadata":{"name":"n"},"spec":{"drivers":[
    {"name":"d","nodeID":"i","allocatable":{"count":0}},{"name":"e","nodeID":"j"}]}})",
             DecodeNodeDrivers);
  ExpectSame("storage.k8s.io/v1", "CSIDriver",
             R"({"metadata":{"name":"d"},"spec":{"storageCapacity":true}})", DecodeStorageDriver);
  ExpectSame("storage.k8s.io/v1", "CSIStorageCapacity", R"({"metadata":{"namespace":"t",
    "name":"c"},"storageClassName":"s","nodeTopology":{"matchLabels":{"zone":"a"}},
    "capacity":"10Gi"})",
             DecodeStorageCapacity);
  ExpectSame("storage.k8s.io/v1", "VolumeAttachment", R"({"metadata":{"name":"csi-1"},"spec":{
    "attacher":"d","nodeName":"n","source":{"persistentVolumeName":"v"}},
    "status":{"attached":true}})",
             DecodeVolumeAttachment);
}

TEST(ProtobufPage, RefusesWhatIsNoList) {
  const auto refusal = [](const std::string& body) {
    const auto page = ParseListPage(body);
    return page ? "taken" : ToString(page.error());
  };
  EXPECT_EQ(refusal(Envelope("v1", "Status", "")),
            "list: kind: expected a list of objects, got \"Status\"");
  EXPECT_EQ(refusal(ListEnvelope("v1", "PodList", Text(3, "x"), {})),
            "list: metadata.resourceVersion: is missing");
  EXPECT_THAT(refusal(ListEnvelope("v1", "UnicornList", kAtSeven, {})),
              HasSubstr("list: no kind \"UnicornList\" of version \"v1\" in protobuf"));
  const std::string whole = ListEnvelope("v1", "PodList", kAtSeven, {Text(1, Text(1, "a"))});
  EXPECT_EQ(refusal(whole), "taken");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)), HasSubstr("the protobuf is malformed"));
  EXPECT_THAT(refusal(ListEnvelope("v1", "PodList", kAtSeven, {"\x0a\x7f"})),
              HasSubstr("the protobuf is malformed"));
}

TEST(ProtobufPage, WhoeverAsksForProtobufIsRefusedInProtobuf) {
  const std::string details = Text(1, "a") + Text(3, "pods") + Number(5, 3);
  const auto status =
      ParseStatus(Envelope("v1", "Status",
                           Text(1, "") + Text(2, "Failure") + Text(3, "too old") +
                               Text(4, "Expired") + Text(5, details) + Number(6, 410)));
  ASSERT_TRUE(status.ok()) << status.error();
  EXPECT_EQ(status->code, 410);
  EXPECT_EQ(status->reason, "Expired");
  EXPECT_EQ(status->message, "too old");
  EXPECT_EQ(status->retry_after_seconds, 3);
  EXPECT_FALSE(ParseStatus(Envelope("v1", "Pod", "")).ok());
}

}  // namespace
}  // namespace gs::kube
