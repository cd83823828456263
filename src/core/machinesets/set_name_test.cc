#include "core/machinesets/set_name.h"

#include <gtest/gtest.h>

#include <set>

#include "base/dns_name.h"

namespace gs::machinesets {
namespace {

TEST(SetName, IsInfrastructureTypeAndZone) {
  EXPECT_EQ(SetNameOf("cluster-zpqdx-xxm9n", "g6.4xlarge", "us-east-2a"),
            "cluster-zpqdx-xxm9n-gpu-g6-4xlarge-us-east-2a");
  EXPECT_EQ(SetNameOf("c", "Standard_NC4as_T4_v3", "1"), "c-gpu-standard-nc4as-t4-v3-1");
  EXPECT_EQ(SetNameOf("c", "Standard_NC4as_T4_v3", ""), "c-gpu-standard-nc4as-t4-v3");
}

TEST(SetName, FitsIntoALabelAndStaysUnique) {
  const std::string infrastructure = "a-cluster-with-quite-a-long-name-x7k2p";
  std::set<std::string> names;
  for (const char* zone : {"us-east-1-bos-1a", "us-east-1-bos-1b", "us-west-2-lax-1a"}) {
    for (const char* type : {"p6-b200.48xlarge", "p6-b300.48xlarge"}) {
      const std::string name = SetNameOf(infrastructure, type, zone);
      EXPECT_LE(name.size(), 63U);
      EXPECT_TRUE(CheckDnsSubdomain(name)) << name;
      names.insert(name);
    }
  }
  EXPECT_EQ(names.size(), 6U);
}

TEST(SetName, OfExactly63CharactersIsKept) {
  const std::string rest = "-gpu-b-c-zone-1";
  const std::string infrastructure(63 - rest.size(), 'a');
  EXPECT_EQ(SetNameOf(infrastructure, "b.c", "zone-1"), infrastructure + rest);
}

TEST(SetName, IsNotCutInFrontOfTheHashWithTwoDashes) {
  for (std::size_t length = 30; length < 63; ++length) {
    const std::string name = SetNameOf(std::string(length, 'a'), "p4d.24xlarge", "eu-central-1c");
    EXPECT_EQ(name.find("--"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace gs::machinesets
