#include <gtest/gtest.h>

#include <string>

#include "adapters/gpu/machine_file.h"

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::PcieClass;

std::string RefusalOf(std::string_view text) {
  const auto machine = ReadMachine(text);
  return machine ? "accepted" : ToString(machine.error());
}

// Two GPUs whose ids are not their positions; `links` belongs to the first.
std::string Pair(const std::string& links, const std::string& back = "") {
  return "devices: [{id: 4, links: [" + links + "]}, {id: 6, links: [" + back + "]}]";
}

Link LinkOf(const std::string& text) {
  const auto machine = ReadMachine(text);
  EXPECT_TRUE(machine.ok()) << machine.error();
  return machine ? machine->links.At(1, 0) : Link{};
}

TEST(Wiring, ReadsEveryFieldOfALink) {
  EXPECT_EQ(LinkOf(Pair("{peer: 6, type: NVLink, count: 2, pcie: PIX, bandwidthGBps: 100}")),
            (Link{LinkKind::kNvLink, 2, PcieClass::kPix, 100}));
  EXPECT_EQ(LinkOf(Pair("{peer: 6, type: PCIe, pcie: phb}")),
            (Link{LinkKind::kNone, 0, PcieClass::kPhb, 0}));
  EXPECT_EQ(LinkOf(Pair("{peer: 6, type: nvswitch, count: 12}")),
            (Link{LinkKind::kNvSwitch, 12, PcieClass::kSys, 0}));
}

TEST(Wiring, CountsOneLinkWhereOnlyATypeIsGiven) {
  EXPECT_EQ(LinkOf(Pair("{peer: 6, type: xGMI}")), (Link{LinkKind::kXgmi, 1, PcieClass::kSys, 0}));
  EXPECT_EQ(LinkOf(Pair("{peer: 6}")), Link{});
}

TEST(Wiring, TakesALinkFromEitherSideOrBoth) {
  const std::string there = "{peer: 6, type: NVLink, count: 2}";
  const std::string back = "{peer: 4, type: NVLink, count: 2}";
  EXPECT_EQ(LinkOf(Pair("", back)), LinkOf(Pair(there)));
  EXPECT_EQ(LinkOf(Pair(there, back)), LinkOf(Pair(there)));
}

TEST(Wiring, DerivesThePcieClassFromNumaNodes) {
  const auto machine = ReadMachine(
      "[{id: 0, numaNode: 0, links: [{peer: 1, type: NVLink}]}, {id: 1, numaNode: 0},"
      " {id: 2, numaNode: 0}, {id: 3, numaNode: 1}, {id: 4}, {id: 5}]");
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(machine->links.At(0, 1), (Link{LinkKind::kNvLink, 1, PcieClass::kNode, 0}));
  EXPECT_EQ(machine->links.At(1, 2).pcie, PcieClass::kNode);
  EXPECT_EQ(machine->links.At(2, 3).pcie, PcieClass::kSys);
  EXPECT_EQ(machine->links.At(4, 5).pcie, PcieClass::kSys);  // unknown is not the same
}

TEST(Wiring, RefusesSidesThatDisagree) {
  EXPECT_EQ(RefusalOf(Pair("{peer: 6, type: NVLink, count: 2}", "{peer: 4, type: NVLink}")),
            "devices[1].links[0]: says 1xNVLink SYS, but devices[0].links[0] says 2xNVLink SYS for "
            "the same pair; state a link on one side only, or alike on both");
}

TEST(Wiring, RefusesPeersThatMakeNoPair) {
  EXPECT_EQ(RefusalOf(Pair("{peer: 5}")),
            "devices[0].links[0].peer: there is no GPU 5; the machine has 4,6");
  EXPECT_EQ(RefusalOf(Pair("{peer: 4}")), "devices[0].links[0].peer: a GPU has no link to itself");
  EXPECT_EQ(RefusalOf(Pair("{peer: 6}, {peer: 6, pcie: PIX}")),
            "devices[0].links[1]: names the same peer as devices[0].links[0]");
  EXPECT_EQ(RefusalOf(Pair("{type: NVLink}")), "devices[0].links[0].peer: is missing");
}

TEST(Wiring, RefusesCountsThatDoNotFitTheType) {
  EXPECT_EQ(RefusalOf(Pair("{peer: 6, count: 2}")),
            "devices[0].links[0].count: counts NVLink or xGMI links, and the type is PCIe; "
            "add type: NVLink, NVSwitch or xGMI");
  EXPECT_EQ(RefusalOf(Pair("{peer: 6, type: NVLink, count: 0}")),
            "devices[0].links[0].count: a pair of that type has at least one link; "
            "leave the link out if there is none");
  EXPECT_EQ(RefusalOf(Pair("{peer: 6, type: NVLink, count: 101}")),
            "devices[0].links[0].count: expected a number from 0 to 100, got 101");
}

TEST(Wiring, RefusesUnknownWordsAndFields) {
  EXPECT_EQ(
      RefusalOf(Pair("{peer: 6, type: NVLnk}")),
      "devices[0].links[0].type: expected one of NVLink, NVSwitch, xGMI, PCIe, got \"NVLnk\"");
  EXPECT_EQ(
      RefusalOf(Pair("{peer: 6, pcie: NV2}")),
      "devices[0].links[0].pcie: expected one of SYS, NODE, PHB, PXB, PIX, BOARD, got \"NV2\"");
  EXPECT_EQ(RefusalOf(Pair("{pear: 6}")),
            "devices[0].links[0]: unknown field \"pear\"; known are peer, type, count, pcie, "
            "bandwidthGBps");
  EXPECT_EQ(RefusalOf(Pair("{peer: 6, bandwidthGBps: fast}")),
            "devices[0].links[0].bandwidthGBps: expected a whole number, got \"fast\"");
  EXPECT_EQ(RefusalOf("[{id: 0, links: {peer: 1}}]"),
            "devices[0].links: expected a list, got an object");
}

}  // namespace
}  // namespace gs::gpu
