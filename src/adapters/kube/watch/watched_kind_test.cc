#include "adapters/kube/watch/watched_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

const ObjectMeta kMeta{{"team", "a"}, "uid-1", ResourceVersion("7")};

// The text of an object with kMeta and the rest.
std::string ObjectText(const std::string& rest, const std::string& annotations = "{}") {
  return R"({"metadata":{"namespace":"team","name":"a","uid":"uid-1","resourceVersion":"7",)"
         R"("annotations":)" +
         annotations + "}" + rest + "}";
}

TEST(ObjectMeta, IsReadFromAnyKind) {
  const auto meta = ReadObjectMeta(ObjectText(R"(,"data":[1])"));
  ASSERT_TRUE(meta.ok()) << meta.error();
  EXPECT_EQ(*meta, kMeta);
}

TEST(ObjectMeta, MustNameTheObjectAndItsVersion) {
  for (const char* text : {"", "[]", "{}", R"({"metadata":{"name":"a","uid":"1"}})",
                           R"({"metadata":{"name":"a","resourceVersion":"1"}})",
                           R"({"metadata":{"uid":"1","resourceVersion":"1"}})",
                           R"({"metadata":{"name":7,"uid":"1","resourceVersion":"1"}})"}) {
    EXPECT_FALSE(ReadObjectMeta(text).ok()) << text;
  }
}

TEST(WatchedKind, PodsAreSeenAndGone) {
  const WatchedKind kind = Pods();
  const auto seen = kind.decode_seen(kMeta, ObjectText(R"(,"spec":{"containers":[]})"));
  ASSERT_TRUE(seen.ok()) << seen.error();
  const model::PodRef ref{Namespace("team"), PodName("a"), PodUid("uid-1")};
  ASSERT_TRUE(std::holds_alternative<model::PodSeen>(*seen));
  EXPECT_EQ(std::get<model::PodSeen>(*seen).pod.ref, ref);
  EXPECT_EQ(kind.make_gone(kMeta), model::Event(model::PodGone{ref, kMeta.resource_version}));
  EXPECT_FALSE(kind.may_be_missing);
}

TEST(WatchedKind, NodesAreSeenAndGone) {
  const WatchedKind kind = Nodes();
  const auto seen = kind.decode_seen(kMeta, ObjectText(""));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(std::get<model::NodeSeen>(*seen).node.name, NodeName("a"));
  EXPECT_EQ(kind.make_gone(kMeta), model::Event(model::NodeGone{NodeName("a")}));
  EXPECT_FALSE(kind.may_be_missing);
}

TEST(WatchedKind, NamespacesAreSeenWithTheirLabelsAndGone) {
  const WatchedKind kind = Namespaces();
  const ObjectMeta meta{{"", "team"}, "uid-1", ResourceVersion("7")};
  const auto seen = kind.decode_seen(
      meta, R"({"metadata":{"name":"team","uid":"uid-1","labels":{"tier":"gold"}}})");
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(*seen, model::Event(model::NamespaceSeen{Namespace("team"), {{"tier", "gold"}}}));
  EXPECT_FALSE(kind.decode_seen(meta, R"({"metadata":{"name":"team","labels":{"a":1}}})").ok());
  EXPECT_EQ(kind.make_gone(meta), model::Event(model::NamespaceGone{Namespace("team")}));
  EXPECT_FALSE(kind.may_be_missing);
}

TEST(WatchedKind, ClaimsAreSeenAndGoneAndMayBeMissing) {
  const WatchedKind kind = Claims();
  const auto seen = kind.decode_seen(kMeta, ObjectText(R"(,"spec":{"devices":{"count":3}})"));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(std::get<model::ClaimSeen>(*seen).claim.devices.count, 3);
  EXPECT_EQ(kind.make_gone(kMeta),
            model::Event(model::ClaimGone{Namespace("team"), ClaimName("a")}));
  EXPECT_TRUE(kind.may_be_missing);
}

TEST(WatchedKind, AllLeasesAreWatchedAndThoseOfGpusAreWanted) {
  const WatchedKind kind = Leases(Namespace("locks"));
  EXPECT_EQ(kind.collection.ns, Namespace("locks"));
  EXPECT_EQ(kind.collection.label_selector, "");
  EXPECT_TRUE(
      kind.is_wanted(R"({"metadata":{"name":"a","labels":{"gpu.scheduling/managed":"true"}}})"));
  EXPECT_FALSE(kind.is_wanted(ObjectText("")));
  EXPECT_FALSE(
      kind.is_wanted(R"({"metadata":{"name":"a","labels":{"gpu.scheduling/role":"election"}}})"));
  EXPECT_FALSE(kind.decode_seen(kMeta, ObjectText("")).ok());
  EXPECT_EQ(kind.make_gone(kMeta),
            model::Event(model::LeaseGone{LeaseName("a"), LeaseUid("uid-1")}));
  EXPECT_FALSE(kind.may_be_missing);
}

TEST(WatchedKind, MachinesAreSeenUnderTheirNodesName) {
  const WatchedKind kind = Machines();
  const auto seen =
      kind.decode_seen(kMeta, ObjectText(R"(,"spec":{"nodeName":"a"},"status":{"devices":[]})"));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(*seen, model::Event(model::MachineSeen{NodeName("a"), {}, kMeta.resource_version}));
  EXPECT_EQ(kind.make_gone(kMeta),
            model::Event(model::MachineGone{NodeName("a"), kMeta.resource_version}));
  EXPECT_TRUE(kind.may_be_missing);
}

// What nobody has reported on yet says nothing, least of all that a pod has let go of its GPUs.
TEST(WatchedKind, AMachineThatNobodyHasReportedOnIsAsIfItWereNotThere) {
  const WatchedKind kind = Machines();
  const auto seen = kind.decode_seen(kMeta, ObjectText(R"(,"spec":{"nodeName":"a"})"));
  ASSERT_TRUE(seen.ok()) << seen.error();
  EXPECT_EQ(*seen, model::Event(model::MachineGone{NodeName("a"), kMeta.resource_version}));
}

TEST(WatchedKind, AMachineUnderAnotherNameIsRefused) {
  const WatchedKind kind = Machines();
  const auto seen = kind.decode_seen(kMeta, ObjectText(R"(,"spec":{"nodeName":"b"})"));
  ASSERT_FALSE(seen.ok());
  EXPECT_THAT(ToString(seen.error()), HasSubstr("expected the object's own name, got \"b\""));
}

TEST(WatchedKind, StorageIsSeenAndGoneAndMayBeMissing) {
  for (const WatchedKind& kind : StorageKinds()) {
    const auto seen = kind.decode_seen(kMeta, ObjectText(""));
    ASSERT_TRUE(seen.ok()) << ToString(kind.kind) << ": " << seen.error();
    EXPECT_TRUE(std::holds_alternative<model::StorageSeen>(*seen)) << ToString(kind.kind);
    EXPECT_EQ(kind.make_gone(kMeta),
              model::Event(model::StorageGone{kind.kind, Namespace("team"), "a"}));
    EXPECT_TRUE(kind.may_be_missing);
  }
}

}  // namespace
}  // namespace gs::kube
