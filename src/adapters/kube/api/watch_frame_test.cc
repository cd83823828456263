#include "adapters/kube/api/watch_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "adapters/kube/api/line_splitter.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kTestLimit = 8;

// All lines of a stream that comes in these pieces; "!" where it is refused.
std::vector<std::string> LinesOf(const std::vector<std::string>& pieces) {
  LineSplitter splitter(kTestLimit);
  std::vector<std::string> lines;
  for (const auto& piece : pieces) {
    splitter.Append(piece);
    while (true) {
      const auto line = splitter.Next();
      if (!line) {
        lines.emplace_back("!");
        return lines;
      }
      if (!*line) break;
      lines.emplace_back(**line);
    }
  }
  return lines;
}

TEST(LineSplitter, GivesWholeLinesOnly) {
  EXPECT_THAT(LinesOf({"a\nb", "c\n\r\n\nd"}), ElementsAre("a", "bc"));
  EXPECT_THAT(LinesOf({"", ""}), IsEmpty());
}

TEST(LineSplitter, RefusesALineThatIsTooLongEvenBeforeItsEnd) {
  EXPECT_THAT(LinesOf({"12345678\n"}), ElementsAre("12345678"));
  EXPECT_THAT(LinesOf({"a\n123456789\nb\n"}), ElementsAre("a", "!"));
  EXPECT_THAT(LinesOf({"12345", "6789"}), ElementsAre("!"));
}

TEST(LineSplitter, StaysRefused) {
  LineSplitter splitter(1);
  splitter.Append("ab\nc\n");
  EXPECT_FALSE(splitter.Next().ok());
  splitter.Append("d\n");
  EXPECT_FALSE(splitter.Next().ok());
}

RC_GTEST_PROP(LineSplitter, PiecesDoNotMatter, ()) {
  const auto letters = rc::gen::element('a', 'b', '\n', ' ', '{');
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(letters));
  std::string whole;
  for (const auto& piece : pieces) whole += piece;
  RC_ASSERT(LinesOf(pieces) == LinesOf({whole}));
}

TEST(WatchFrame, ReadsWhatHappenedAndKeepsTheObject) {
  const std::string object =
      R"({"kind":"Pod", "metadata":{"name":"a","resourceVersion":"7"},"x":[1,2.50,"\u00e9\n"]})";
  const std::string line = R"({"type":"MODIFIED","object": )" + object + " }";
  const auto frame = ParseWatchFrame(line);
  ASSERT_TRUE(frame.ok()) << frame.error();
  EXPECT_EQ(frame->event, WatchEvent::kModified);
  EXPECT_EQ(frame->resource_version, ResourceVersion("7"));
  EXPECT_EQ(frame->object, object);
  EXPECT_EQ(frame->object.data(), line.data() + line.find("{\"kind\""));
  EXPECT_FALSE(frame->is_expired);
}

TEST(WatchFrame, KnowsEveryEvent) {
  for (const auto event :
       {WatchEvent::kAdded, WatchEvent::kModified, WatchEvent::kDeleted, WatchEvent::kBookmark}) {
    const std::string line = R"({"object":{"metadata":{"resourceVersion":"1"}},"type":")" +
                             std::string(ToString(event)) + "\"}";
    const auto frame = ParseWatchFrame(line);
    ASSERT_TRUE(frame.ok()) << frame.error();
    EXPECT_EQ(frame->event, event);
  }
}

TEST(WatchFrame, RecognisesThatTheVersionIsTooOld) {
  const auto is_expired = [](const std::string& status) {
    const auto frame = ParseWatchFrame(R"({"type":"ERROR","object":)" + status + "}");
    return frame.ok() && frame->event == WatchEvent::kError && frame->is_expired;
  };
  EXPECT_TRUE(is_expired(R"({"kind":"Status","code":410,"reason":"Expired"})"));
  EXPECT_TRUE(is_expired(R"({"kind":"Status","code":410,"reason":"Gone"})"));
  EXPECT_TRUE(is_expired(R"({"kind":"Status","reason":"Expired"})"));
  EXPECT_FALSE(is_expired(R"({"kind":"Status","code":500,"reason":"InternalError"})"));
}

TEST(WatchFrame, RefusesWhatIsNoFrame) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "watch: is no JSON"},
      {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}})", "watch: is no JSON"},
      {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"},"x":[}})",
       "watch: is no JSON"},
      {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"},"x":tru}})",
       "watch: is no JSON"},
      {R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}} {})", "watch: is no JSON"},
      {R"({"type":"ADDED","object":null})", "watch: object: is missing"},
      {R"({"object":{}})", "watch: type: is missing"},
      {R"({"type":"CHANGED","object":{}})", "watch: type: expected one of ADDED"},
      {R"({"type":"ADDED"})", "watch: object: is missing"},
      {R"({"type":"ADDED","object":{}})", "watch: object.metadata.resourceVersion: is missing"},
  };
  for (const auto& [line, message] : cases) {
    const auto frame = ParseWatchFrame(line);
    ASSERT_FALSE(frame.ok()) << line;
    EXPECT_THAT(ToString(frame.error()), HasSubstr(message)) << line;
  }
}

}  // namespace
}  // namespace gs::kube
