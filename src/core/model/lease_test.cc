#include "core/model/lease.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/dns_name.h"

namespace gs::model {
namespace {

std::string NameOf(const std::string& node, std::int32_t gpu) {
  return LeaseNameOf(NodeName(node), GpuId(gpu)).text();
}

TEST(LeaseName, IsMadeOfNodeAndId) {
  EXPECT_EQ(NameOf("node-a", 0), "gpu-node-a-0");
  EXPECT_EQ(NameOf("Node-A", 12), "gpu-node-a-12");
  EXPECT_EQ(NameOf("ip-10-0-0-1.ec2.internal", 7), "gpu-ip-10-0-0-1.ec2.internal-7");
}

TEST(LeaseName, StaysWholeUpToTheLimit) {
  const std::string node(253 - 6, 'a');
  EXPECT_EQ(NameOf(node, 1), "gpu-" + node + "-1");
  EXPECT_EQ(NameOf(node, 1).size(), 253U);
  EXPECT_EQ(NameOf(node, 10).size(), 253U);
  EXPECT_NE(NameOf(node, 10), NameOf(node, 11));
}

// Stored in clusters: these must never change.
TEST(LeaseName, PastTheLimitEndsInAStableHash) {
  const std::string node(253, 'a');
  EXPECT_EQ(NameOf(node, 0), "gpu-" + std::string(232, 'a') + "-85a02b7d29ed5cba");
  EXPECT_NE(NameOf(node, 0), NameOf(node, 1));
}

TEST(LeaseName, IsLegalWhereverItIsCut) {
  for (std::size_t dots = 225; dots < 240; ++dots) {
    const std::string node = std::string(dots, 'a') + ".b-c--d" + std::string(246 - dots, 'e');
    const std::string name = NameOf(node, 3);
    EXPECT_TRUE(CheckDnsSubdomain(name).ok()) << name;
  }
}

TEST(GpuLease, PrintsItsHolders) {
  GpuLease lease;
  lease.name = LeaseName("gpu-node-a-0");
  lease.mode = AllocationMode::kShared;
  lease.holders = {{{Namespace("n"), PodName("a"), PodUid("1")}, {GpuId(0)}, AttemptId("x")},
                   {{Namespace("n"), PodName("b"), PodUid("2")}, {GpuId(0)}, AttemptId("y")}};
  std::ostringstream out;
  out << lease;
  EXPECT_EQ(out.str(), "lease gpu-node-a-0 shared held by n/a, n/b");
}

}  // namespace
}  // namespace gs::model
