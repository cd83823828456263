#include "programs/local/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/localcluster/store/object_names.h"
#include "adapters/yaml/parse.h"

namespace gs::local {
namespace {

using testing::HasSubstr;

struct Empty {
  localcluster::Store store;
  localcluster::Kinds kinds;
  localcluster::ObjectNames names{1};
  localcluster::Rules rules{store, names};

  std::string Load(std::string_view yaml) {
    const auto objects = yaml::ParseYamlDocuments(yaml);
    if (!objects) return ToString(objects.error());
    const auto done = LoadObjects(*objects, store, kinds, rules);
    return done ? "" : ToString(done.error());
  }
};

constexpr const char* kMap =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: team, uid: u1}, data: {a: "
    "b}}\n";

TEST(Load, KeepsWhatObjectsWere) {
  Empty cluster;
  EXPECT_EQ(cluster.Load(std::string(kMap) +
                         "---\n{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u2}}"),
            "");
  const auto map = cluster.store.Get({.resource = "configmaps", .ns = "team", .name = "m"});
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->uid, "u1");
  EXPECT_THAT(map->text, HasSubstr(R"("a":"b")"));
}

TEST(Load, RefusesWhatIsNotValid) {
  EXPECT_THAT(Empty().Load("{apiVersion: v9, kind: Pod, metadata: {name: a, uid: u}}"),
              HasSubstr("Pod a: there is no such kind in \"v9\""));
  EXPECT_THAT(Empty().Load("{apiVersion: v1, kind: Namespace, metadata: {name: a}}"),
              HasSubstr("uid is missing"));
  EXPECT_THAT(Empty().Load("{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u}}"),
              HasSubstr("namespace is missing"));
  EXPECT_THAT(Empty().Load("[1]"), HasSubstr("expected an object"));
  EXPECT_THAT(
      Empty().Load(
          "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u, namespace: ns}, spec: {}}"),
      HasSubstr("spec.containers"));
  EXPECT_THAT(Empty().Load(std::string(kMap) + "---\n" + kMap), HasSubstr("already exists"));
}

TEST(Load, FindsTheNodesAgain) {
  const auto objects = yaml::ParseYamlDocuments(
      "{apiVersion: gpu.scheduling/v1, kind: GpuNodeStatus, metadata: {name: a},\n"
      " status: {devices: [{id: 0}, {id: 1}]}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {x: z}},\n"
      " spec: {taints: [{key: k, effect: NoSchedule}]}, status: {capacity: {cpu: '3'}}}\n");
  const auto nodes = NodesOf(*objects);
  ASSERT_TRUE(nodes.ok()) << ToString(nodes.error());
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->front().machine.devices.size(), 2U);
  EXPECT_EQ(nodes->front().labels.at("x"), "z");
  EXPECT_EQ(nodes->front().taints.size(), 1U);
  EXPECT_EQ(nodes->front().cpu, "3");
}

}  // namespace
}  // namespace gs::local
