#include "adapters/kube/api/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/kube/api/object_limit.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire_test::Envelope;
using wire_test::Number;
using wire_test::Text;

// "EVENT VERSION OBJECT", and last "! error" where the stream is lost.
using Frames = std::vector<std::string>;

Frames ReadIn(const std::string& stream, std::size_t size) {
  WatchStream watch;
  Frames frames;
  for (std::size_t at = 0; at < stream.size(); at += size) {
    const auto goes_on =
        watch.Append(std::string_view(stream).substr(at, size), [&](const WatchFrame& frame) {
          frames.push_back(std::string(ToString(frame.event)) + " " +
                           frame.resource_version.text() + " " + std::string(frame.object));
          return true;
        });
    if (goes_on) continue;
    frames.push_back("! " + ToString(goes_on.error()));
    break;
  }
  return frames;
}

std::string WithLength(const std::string& frame) {
  std::string length;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    length += static_cast<char>((frame.size() >> shift) & 0xffU);
  }
  return length + frame;
}
std::string Frame(std::string_view type, std::string_view object) {
  return WithLength(Text(1, type) + Text(2, Text(1, object)));
}
// A pod called so, in that version.
std::string Pod(std::string_view name, std::string_view version) {
  return Envelope("v1", "Pod", Text(1, Text(1, name) + Text(6, version)));
}

TEST(WatchStream, OfLinesHasItsFramesWhereverItIsCut) {
  const std::string a = R"({"metadata":{"name":"a","resourceVersion":"7"}})";
  const std::string b = R"({"metadata":{"resourceVersion":"9"}})";
  const std::string stream = R"({"type":"ADDED","object":)" + a + "}\n\n" +
                             R"({"type":"BOOKMARK","object":)" + b + "}\n" + R"({"type":"MOD)";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EXPECT_THAT(ReadIn(stream, size), ElementsAre("ADDED 7 " + a, "BOOKMARK 9 " + b)) << size;
  }
}

TEST(WatchStream, OfProtobufHasItsFramesWhereverItIsCut) {
  const std::string stream = Frame("ADDED", Pod("a", "7")) + Frame("DELETED", Pod("a", "8")) +
                             Frame("BOOKMARK", Pod("", "9")) + std::string("\0\0\1", 3);
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EXPECT_THAT(ReadIn(stream, size),
                ElementsAre(R"(ADDED 7 {"metadata":{"name":"a","resourceVersion":"7"}})",
                            R"(DELETED 8 {"metadata":{"name":"a","resourceVersion":"8"}})",
                            R"(BOOKMARK 9 {"metadata":{"resourceVersion":"9"}})"))
        << size;
  }
}

TEST(WatchStream, OfProtobufMayEndWithAStatus) {
  const std::string status =
      Envelope("v1", "Status",
               Text(2, "Failure") + Text(3, "too old") + Text(4, "Expired") + Number(6, 410));
  WatchStream watch;
  bool is_expired = false;
  const auto goes_on = watch.Append(Frame("ERROR", status), [&](const WatchFrame& frame) {
    is_expired = frame.event == WatchEvent::kError && frame.is_expired;
    EXPECT_THAT(std::string(frame.object), HasSubstr(R"("message":"too old")"));
    return false;
  });
  ASSERT_TRUE(goes_on) << goes_on.error();
  EXPECT_FALSE(*goes_on);
  EXPECT_TRUE(is_expired);
}

TEST(WatchStream, EndsWhenNothingMoreIsWanted) {
  for (const std::string& frame :
       {Frame("ADDED", Pod("a", "7")),
        std::string(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}})") + "\n"}) {
    WatchStream watch;
    int taken = 0;
    const auto goes_on =
        watch.Append(frame + frame, [&](const WatchFrame&) { return ++taken == 0; });
    EXPECT_TRUE(goes_on && !*goes_on);
    EXPECT_EQ(taken, 1);
  }
}

TEST(WatchStream, ThatMakesNoSenseIsLost) {
  const std::string good = Frame("ADDED", Pod("a", "7"));
  const std::pair<std::string, const char*> cases[] = {
      {WithLength("\x0a\x7f"), "watch: the protobuf is malformed"},
      {Frame("ADDED", "k8s!"), "watch: the protobuf is malformed"},
      {Frame("ADDED", Envelope("v1", "Pod", "\x0a\x7f")), "watch: the protobuf is malformed"},
      {Frame("ADDED", Envelope("v9", "Pod", "")), R"(watch: no kind "Pod" of version "v9")"},
      {Frame("ADDED", Pod("a", "")), "watch: object.metadata.resourceVersion: is missing"},
      {Frame("CHANGED", Pod("a", "8")), "watch: type: expected one of ADDED"},
      {Frame("ERROR", "k8s!"), "watch: the protobuf is malformed"},
      {std::string("\x7f\0\0\0", 4), "watch: an object is longer than 16777216 bytes"}};
  for (const auto& [bad, error] : cases) {
    const auto frames = ReadIn(good + bad + good, 5);
    ASSERT_EQ(frames.size(), 2) << error;
    EXPECT_THAT(frames[1], HasSubstr(error));
  }
  EXPECT_THAT(ReadIn(std::string("[1]\n"), 2), ElementsAre(HasSubstr("! watch: ")));
}

}  // namespace
}  // namespace gs::kube
