#include "programs/local/node_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "programs/local/node_source.h"

namespace gs::local {
namespace {

using testing::HasSubstr;

std::string Refusal(std::string_view text) {
  const auto nodes = ReadNodeFile(text, "nodes.yaml");
  return nodes ? "read" : ToString(nodes.error());
}

TEST(NodeFile, HasWhatItSays) {
  const auto nodes = ReadNodeFile(
      "nodes:\n"
      "  a: {gpus: 2, labels: {zone: x}, taints: ['gpu=true:NoSchedule', 'k:NoExecute'], cpu: 4}\n"
      "  b: {machine: hgx-a100, memory: 1Ti, pods: 20}\n"
      "  c:\n",
      "nodes.yaml");
  ASSERT_TRUE(nodes.ok()) << ToString(nodes.error());
  ASSERT_EQ(nodes->size(), 3U);
  const auto& first = nodes->front();
  EXPECT_EQ(first.machine.devices.size(), 2U);
  EXPECT_EQ(first.labels.at("zone"), "x");
  ASSERT_EQ(first.taints.size(), 2U);
  EXPECT_EQ(ToString(first.taints[0]), "gpu=true:NoSchedule");
  EXPECT_EQ(first.taints[1].key, "k");
  EXPECT_EQ(first.cpu, "4");
  EXPECT_EQ((*nodes)[1].machine.devices.size(), 8U);
  EXPECT_EQ((*nodes)[1].machine.links.At(0, 1).kind, model::LinkKind::kNvSwitch);
  EXPECT_EQ((*nodes)[1].pods, 20);
  EXPECT_TRUE((*nodes)[2].machine.devices.empty());
}

TEST(NodeFile, SaysWhereItIsWrong) {
  EXPECT_THAT(Refusal("nodes:\n  a:\n    gpu: 4\n"),
              HasSubstr("nodes.yaml: nodes.a: line 2, column 3"));
  EXPECT_THAT(Refusal("nodes:\n  a:\n    cpu: lots\n"), HasSubstr("line 3, column 5"));
  EXPECT_THAT(Refusal("nodes:\n  a:\n    gpus: 65\n"), HasSubstr("line 3, column 5"));
  EXPECT_THAT(Refusal("nodes:\n  a: {}\n  Big_One: {}\n"), HasSubstr("line 3, column 3"));
  EXPECT_THAT(Refusal("nodes:\n  a:\n    taints: [x]\n"), HasSubstr("\"x\" is no taint"));
  EXPECT_THAT(Refusal("nodes:\n  a:\n    labels:\n      ok: x\n      'a b': x\n"),
              HasSubstr("line 5, column 7"));
  EXPECT_THAT(Refusal("nodes:\n  a: {gpus: 1, machine: hgx-a100}\n"), HasSubstr("goes without"));
  EXPECT_THAT(Refusal("nodes: [a]\n"), HasSubstr("expected nodes by their names"));
  EXPECT_THAT(Refusal("nodes:\n  a: {\n"), HasSubstr("nodes.yaml: line"));
}

TEST(NodeFile, ListsTheMachinesThereAre) {
  EXPECT_THAT(Refusal("nodes:\n  a: {machine: hgx}\n"), HasSubstr("dgx-1v, hgx-a100"));
  EXPECT_THAT(Refusal("nodes:\n  a: {machine: missing.yaml}\n"), HasSubstr("missing.yaml"));
}

TEST(NodeSource, TheLaptopFitsTheExamples) {
  const auto nodes = FindNodes("laptop");
  ASSERT_TRUE(nodes.ok()) << ToString(nodes.error());
  std::vector<std::string> names;
  for (const auto& node : *nodes) {
    names.push_back(node.name + ":" + std::to_string(node.machine.devices.size()));
  }
  EXPECT_THAT(names, testing::ElementsAre("control-plane:0", "node1:4", "node2:4", "node3:4",
                                          "node-a:4", "node-b:8"));
  EXPECT_EQ(nodes->back().labels.at("gpu-type"), "a100");
  EXPECT_EQ(nodes->front().taints.size(), 1U);
}

TEST(NodeSource, KnowsItsPresets) {
  EXPECT_EQ(FindNodes("dgx")->size(), 7U);
  EXPECT_EQ(FindNodes("big:300")->size(), 300U);
  EXPECT_TRUE(FindNodes("none")->empty());
  EXPECT_FALSE(FindNodes("big:0").ok());
  EXPECT_FALSE(FindNodes("big:many").ok());
  const auto unknown = FindNodes("labtop");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(ToString(unknown.error()), HasSubstr("laptop, dgx, big:N, none"));
}

TEST(NodeSource, NoTwoNodesShareAnAddress) {
  const auto nodes = FindNodes("big:1000");
  std::set<std::string> addresses;
  std::set<std::string> ranges;
  for (const auto& node : *nodes) {
    addresses.insert(node.address);
    ranges.insert(node.pod_range);
  }
  EXPECT_EQ(addresses.size(), 1000U);
  EXPECT_EQ(ranges.size(), 1000U);
}

}  // namespace
}  // namespace gs::local
