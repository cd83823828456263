#include "adapters/kube/watch/shared_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace gs::kube {
namespace {

ObjectMeta Meta(const std::string& name) {
  return {{"team", name}, "uid-of-" + name, ResourceVersion("7")};
}

model::Event Seen(const ObjectMeta& meta, const std::string& node) {
  model::Pod pod;
  pod.ref = {Namespace(meta.key.ns.text()), PodName(meta.key.name.text()), PodUid(meta.uid.text())};
  pod.resource_version = ResourceVersion(meta.resource_version.text());
  pod.node = NodeName(node);
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.controller = model::Controller{"ReplicaSet", ControllerUid("rs-1")};
  pod.labels = {{"app", "web"}};
  return model::PodSeen{pod};
}

const model::Pod& PodOf(const model::Event& event) { return std::get<model::PodSeen>(event).pod; }

TEST(SharedParts, ChangeNoValue) {
  SharedParts parts;
  for (const auto* name : {"a", "b", "a"}) {
    ObjectMeta meta = Meta(name);
    model::Event event = Seen(meta, "node-a");
    parts.Share(meta);
    parts.Share(event, meta);
    EXPECT_EQ(meta, Meta(name));
    EXPECT_EQ(event, Seen(Meta(name), "node-a"));
  }
}

TEST(SharedParts, AreOneCopyInAllPods) {
  SharedParts parts;
  ObjectMeta first_meta = Meta("a");
  ObjectMeta second_meta = Meta("b");
  model::Event first_event = Seen(first_meta, "node-a");
  model::Event second_event = Seen(second_meta, "node-a");
  parts.Share(first_meta);
  parts.Share(second_meta);
  parts.Share(first_event, first_meta);
  parts.Share(second_event, second_meta);
  const model::Pod& first = PodOf(first_event);
  const model::Pod& second = PodOf(second_event);
  EXPECT_TRUE(first.ref.ns.shared().IsSameCopy(second.ref.ns.shared()));
  EXPECT_EQ(first.ref.uid, PodUid(first_meta.uid));
  EXPECT_TRUE(first.node.shared().IsSameCopy(second.node.shared()));
  EXPECT_TRUE(first.scheduler.shared().IsSameCopy(second.scheduler.shared()));
  EXPECT_TRUE(first.controller.IsSameCopy(second.controller));
  EXPECT_EQ(first.labels.begin(), second.labels.begin());  // the same memory
}

TEST(SharedParts, MachinesThatAreWiredAlikeHaveOneCopyOfTheirLinks) {
  SharedParts parts;
  const auto seen = [](const std::string& node) {
    model::MachineSeen machine{.node = NodeName(node), .machine = {}};
    machine.machine.devices.resize(2);
    machine.machine.links = model::LinkMatrix(2);
    machine.machine.links.Set(0, 1, {.kind = model::LinkKind::kNvLink, .count = 4});
    return model::Event(machine);
  };
  model::Event first = seen("a");
  model::Event second = seen("b");
  parts.Share(first, Meta("a"));
  parts.Share(second, Meta("b"));
  const auto& links = [](const model::Event& event) -> const model::LinkMatrix& {
    return std::get<model::MachineSeen>(event).machine.links;
  };
  EXPECT_EQ(&links(first).At(0, 1), &links(second).At(0, 1));  // the same memory
  EXPECT_EQ(first, seen("a"));
  EXPECT_EQ(second, seen("b"));
}

TEST(SharedParts, MachinesHaveOneCopyOfWhatTheirGpusAreCalled) {
  SharedParts parts;
  const auto seen = [&](const std::string& node) {
    model::MachineSeen machine{.node = NodeName(node), .machine = {}};
    machine.machine.devices.push_back({.id = GpuId(0),
                                       .model = "NVIDIA H100 80GB HBM3",
                                       .pci_bus_id = "0000:18:00.0",
                                       .island = IslandName("0"),
                                       .health_reason = "Xid 79"});
    model::Event event = machine;
    parts.Share(event, Meta(node));
    EXPECT_EQ(event, model::Event(machine));
    return std::get<model::MachineSeen>(event).machine.devices[0];
  };
  const model::GpuDevice first = seen("a");
  const model::GpuDevice second = seen("b");
  EXPECT_TRUE(first.model.IsSameCopy(second.model));
  EXPECT_TRUE(first.pci_bus_id.IsSameCopy(second.pci_bus_id));
  EXPECT_TRUE(first.island.shared().IsSameCopy(second.island.shared()));
  EXPECT_TRUE(first.health_reason.IsSameCopy(second.health_reason));
}

TEST(SharedParts, NodesAndReportsAreNamedByOneCopy) {
  SharedParts parts;
  const ObjectMeta meta = Meta("node-a");
  model::Node node;
  node.name = NodeName("node-a");
  node.uid = NodeUid("uid-of-node-a");
  model::Event seen = model::NodeSeen{node};
  parts.Share(seen, meta);
  EXPECT_EQ(seen, model::Event(model::NodeSeen{node}));
  EXPECT_TRUE(std::get<model::NodeSeen>(seen).node.name.shared().IsSameCopy(meta.key.name));
  model::Event reported = model::MachineSeen{.node = NodeName("node-a"), .machine = {}};
  parts.Share(reported, meta);
  EXPECT_TRUE(std::get<model::MachineSeen>(reported).node.shared().IsSameCopy(meta.key.name));
}

TEST(SharedParts, OfOtherKindsStayAsTheyAre) {
  SharedParts parts;
  const model::Event gone = model::NodeGone{NodeName("a")};
  model::Event event = gone;
  parts.Share(event, Meta("a"));
  EXPECT_EQ(event, gone);
}

}  // namespace
}  // namespace gs::kube
