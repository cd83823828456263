#include "core/model/scheduling_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace gs::model {
namespace {

std::string Canonical(std::string_view text) {
  const auto map = ParseSchedulingMap(text);
  return map ? ToString(*map) : "error: " + ToString(map.error());
}

std::string ErrorOf(std::string_view text) {
  const auto map = ParseSchedulingMap(text);
  return map ? "no error" : ToString(map.error());
}

TEST(SchedulingMap, ReadsOneEntryPerLine) {
  const auto map = ParseSchedulingMap("0=node1:0,1\n1=node2:2\n2=node3:0,1,2\n");
  ASSERT_TRUE(map.ok());
  ASSERT_EQ(map->entries.size(), 3U);
  ASSERT_NE(map->Find(PodIndex(1)), nullptr);
  EXPECT_EQ(*map->Find(PodIndex(1)), (MapEntry{NodeName("node2"), {GpuId(2)}}));
  EXPECT_EQ(map->Find(PodIndex(3)), nullptr);
}

TEST(SchedulingMap, KeepsTheOrderOfIdsAndSortsIndexes) {
  EXPECT_EQ(Canonical("10=b:3,1,2\n9=a:0"), "9=a:0\n10=b:3,1,2");
}

TEST(SchedulingMap, ToleratesBlanksCommentsAndWindowsLineEnds) {
  EXPECT_EQ(Canonical("\n  \t\n 0 = node1 : 0 , 1 \n\n1=node2:2"), "0=node1:0,1\n1=node2:2");
  EXPECT_EQ(Canonical("# who gets what\n0=node1:0 # the first\n  # done\n#"), "0=node1:0");
  EXPECT_EQ(Canonical("0=node1:0#close"), "0=node1:0");
  EXPECT_EQ(Canonical("\r\n0=node1:0,1\r\n1=node2:2\r\n"), "0=node1:0,1\n1=node2:2");
}

TEST(SchedulingMap, TwoPodsMayNameTheSameGpu) {
  EXPECT_EQ(Canonical("0=node1:0\n1=node1:0"), "0=node1:0\n1=node1:0");
}

TEST(SchedulingMap, AcceptsTheLargestNumbers) {
  EXPECT_EQ(Canonical("2147483647=n:65535"), "2147483647=n:65535");
  EXPECT_EQ(Canonical("007=n:01"), "7=n:1");
}

TEST(SchedulingMap, RefusesAMapWithoutEntries) {
  const std::string empty =
      "line 1, column 1: the map has no entries; write index=node:ids, such as 0=node1:0,1";
  for (const auto* text : {"", " ", "\n\r\n\n", "# nothing\n"}) EXPECT_EQ(ErrorOf(text), empty);
}

TEST(SchedulingMap, RefusesAnIndexGivenTwiceAndNamesTheFirstLine) {
  EXPECT_EQ(ErrorOf("# map\n0=a:0\n1=b:0\n00=c:1"),
            "line 4, column 1: pod index 0 is already given in line 2; give each index once; "
            "several GPUs of one pod go on one line: 0=node1:0,1");
}

TEST(SchedulingMap, RefusesAMissingSign) {
  EXPECT_EQ(ErrorOf("0 node1:0"),
            "line 1, column 3: expected '=' after the pod index, found 'n'; "
            "write index=node:ids, such as 0=node1:0,1");
  EXPECT_EQ(ErrorOf("0=node1"),
            "line 1, column 8: expected ':' after the node name, found the end of the text; "
            "write node:ids, such as node-a:0,1");
  EXPECT_EQ(ErrorOf("0=node1 0\n"),
            "line 1, column 9: expected ':' after the node name, found '0'; "
            "write node:ids, such as node-a:0,1");
  EXPECT_EQ(ErrorOf("node1:0"),
            "line 1, column 1: expected a pod index, found 'n'; "
            "write index=node:ids, such as 0=node1:0,1");
}

TEST(SchedulingMap, RefusesABadIdList) {
  EXPECT_EQ(ErrorOf("0=a:\n1=b:0"),
            "line 1, column 5: expected a GPU id, found the end of the line; "
            "write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("0=a:# none"),
            "line 1, column 5: expected a GPU id, found '#'; write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("0=a:0\n1=b:0,1,"),
            "line 2, column 9: expected a GPU id, found the end of the text; "
            "write GPU ids as 0,1,2");
  EXPECT_EQ(ErrorOf("0=a:1,2, 1"),
            "line 1, column 10: GPU 1 is listed twice; write each GPU id once");
}

TEST(SchedulingMap, RefusesNumbersOutOfRange) {
  EXPECT_EQ(ErrorOf("-1=a:0"),
            "line 1, column 1: -1 is out of range for a pod index; "
            "write a number from 0 to 2147483647");
  EXPECT_EQ(ErrorOf("2147483648=a:0"),
            "line 1, column 1: 2147483648 is out of range for a pod index; "
            "write a number from 0 to 2147483647");
  EXPECT_EQ(ErrorOf("0=a:-1"),
            "line 1, column 5: -1 is out of range for a GPU id; write a number from 0 to 65535");
  EXPECT_EQ(ErrorOf("0=a:99999999999999999999"),
            "line 1, column 5: 99999999999999999999 is out of range for a GPU id; "
            "write a number from 0 to 65535");
}

TEST(SchedulingMap, RefusesABadNodeName) {
  EXPECT_EQ(ErrorOf("0=Node1:0"),
            "line 1, column 3: bad node name: expected a lower case letter or digit, found 'N'; "
            "node names are lower case letters, digits, '-' and '.'");
  EXPECT_EQ(ErrorOf("0=:0"),
            "line 1, column 3: expected a node name, found ':'; "
            "write node:ids, such as node-a:0,1");
  EXPECT_FALSE(ParseSchedulingMap("0=a-:0").ok());
  EXPECT_FALSE(ParseSchedulingMap("0=" + std::string(254, 'a') + ":0").ok());
  EXPECT_TRUE(ParseSchedulingMap("0=" + std::string(253, 'a') + ":0").ok());
}

TEST(SchedulingMap, RefusesWhatIsLeftOverOnALine) {
  EXPECT_EQ(ErrorOf("0=a:0 1"),
            "line 1, column 7: expected ',' or the end of the line, found '1'; "
            "write index=node:ids, such as 0=node1:0,1");
  EXPECT_EQ(ErrorOf("0=a:0-3"),
            "line 1, column 6: expected ',' or the end of the line, found '-'; "
            "write index=node:ids, such as 0=node1:0,1");
  EXPECT_FALSE(ParseSchedulingMap("0=a:0;1=b:0").ok());
  EXPECT_FALSE(ParseSchedulingMap("0=a:0\\n1=b:0").ok());
  EXPECT_FALSE(ParseSchedulingMap(std::string_view("0=a:0\0", 6)).ok());
}

rc::Gen<MapEntry> AnyEntry() {
  const auto node =
      rc::gen::element<std::string>("a", "node1", "gpu-node-7", "ip-10-0-0-1.ec2.internal");
  const auto ids =
      rc::gen::nonEmpty(rc::gen::unique<std::vector<std::int32_t>>(rc::gen::inRange(0, 65536)));
  return rc::gen::apply(
      [](const std::string& name, const std::vector<std::int32_t>& numbers) {
        MapEntry entry{NodeName(name), {}};
        for (const std::int32_t number : numbers) entry.ids.emplace_back(number);
        return entry;
      },
      node, ids);
}

SchedulingMap AnyMap() {
  SchedulingMap map;
  const auto indexes = *rc::gen::nonEmpty(rc::gen::unique<std::vector<std::int32_t>>(
      rc::gen::inRange(0, std::numeric_limits<std::int32_t>::max())));
  for (const std::int32_t index : indexes) map.entries.emplace(PodIndex(index), *AnyEntry());
  return map;
}

RC_GTEST_PROP(SchedulingMap, ReadsBackWhatItPrints, ()) {
  const SchedulingMap map = AnyMap();
  RC_ASSERT(*ParseSchedulingMap(ToString(map)) == map);
}

// Blanks, comments and line ends wherever they are tolerated do not change what is read.
RC_GTEST_PROP(SchedulingMap, DoesNotCareForBlanksOrComments, ()) {
  const SchedulingMap map = AnyMap();
  const auto gap = [] { return *rc::gen::element<std::string>("", " ", "\t", "  "); };
  const auto end = [] {
    return *rc::gen::element<std::string>("\n", "\r\n", "# why\n", "\n\n# =:\n");
  };
  std::string text;
  for (const char sign : ToString(map)) {
    const bool is_sign = sign == '=' || sign == ':' || sign == ',';
    text += sign == '\n' ? gap() + end() + gap()
            : is_sign    ? gap() + sign + gap()
                         : std::string(1, sign);
  }
  RC_ASSERT(*ParseSchedulingMap(gap() + text + end()) == map);
}

}  // namespace
}  // namespace gs::model
