#include "base/dns_name.h"

#include <gtest/gtest.h>

#include <string>

namespace gs {
namespace {

int ColumnOf(std::string_view name) {
  const auto checked = CheckDnsSubdomain(name);
  return checked ? 0 : checked.error().place()->column;
}

TEST(DnsName, AcceptsWhatKubernetesAccepts) {
  for (const auto* name : {"a", "0", "node1", "gpu-node--7", "ip-10-0-1-2.ec2.internal"}) {
    EXPECT_TRUE(CheckDnsSubdomain(name).ok()) << name;
  }
  EXPECT_TRUE(CheckDnsSubdomain(std::string(253, 'a')).ok());
}

TEST(DnsName, NamesTheFirstWrongColumn) {
  EXPECT_EQ(ColumnOf(""), 1);
  EXPECT_EQ(ColumnOf("Node"), 1);
  EXPECT_EQ(ColumnOf("nodE"), 4);
  EXPECT_EQ(ColumnOf("-a"), 1);
  EXPECT_EQ(ColumnOf("a-"), 3);
  EXPECT_EQ(ColumnOf("a..b"), 3);
  EXPECT_EQ(ColumnOf("a.-b"), 3);
  EXPECT_EQ(ColumnOf("a-.b"), 3);
  EXPECT_EQ(ColumnOf("a."), 3);
  EXPECT_EQ(ColumnOf("a_b"), 2);
  EXPECT_EQ(ColumnOf(std::string(254, 'a')), 254);
}

TEST(DnsName, SaysWhatIsAllowed) {
  EXPECT_EQ(ToString(CheckDnsSubdomain("a_b").error()),
            "line 1, column 2: expected a lower case letter or digit, found '_'; "
            "use lower case letters, digits, '-' and '.'");
}

}  // namespace
}  // namespace gs
