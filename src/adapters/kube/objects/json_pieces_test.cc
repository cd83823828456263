#include "adapters/kube/objects/json_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(JsonPieces, AreByteForByteWhatStandsInTheText) {
  const std::string text =
      " { \"a\" : {\"x\": [1, 2.50] , \"y\":\"\\u00e9]}\"}\n,\"list\":[ {\"b\":{}} ,\t1.0e2 , [ ] "
      ",\"s,\" ] , \"n\":null , \"t\" : true } \r\n";
  const auto pieces = JsonPieces::Split(text, "list");
  ASSERT_TRUE(pieces.ok()) << pieces.error();
  EXPECT_EQ(pieces->TextOf("a"), "{\"x\": [1, 2.50] , \"y\":\"\\u00e9]}\"}");
  EXPECT_THAT(pieces->items(), ElementsAre("{\"b\":{}}", "1.0e2", "[ ]", "\"s,\""));
  EXPECT_EQ(pieces->TextOf("n"), "null");
  EXPECT_EQ(pieces->TextOf("t"), "true");
  EXPECT_EQ(pieces->TextOf("absent"), "");
  const char* begin = pieces->items().front().data();
  EXPECT_TRUE(begin > text.data() && begin < text.data() + text.size());
}

TEST(JsonPieces, HaveFieldsWithPaths) {
  const auto pieces = JsonPieces::Split(R"({"a":{"b":7},"\u0063":"d"})");
  ASSERT_TRUE(pieces.ok()) << pieces.error();
  EXPECT_EQ(pieces->Field("c").Text(), "d");
  EXPECT_EQ(pieces->Field("a").Field("b").Text(), "");
  EXPECT_EQ(ToString(pieces->Finish().error()), "a.b: expected text, got 7");
  EXPECT_EQ(pieces->Field("x").Field("y").RequiredText(), "");
  EXPECT_EQ(ToString(pieces->Finish().error()), "x.y: is missing");
}

TEST(JsonPieces, OfSeveralMembersWithOneNameTheFirstCounts) {
  const auto first = JsonPieces::Split(R"({"a":1,"l":[1],"a":2,"l":[2,3]})", "l");
  ASSERT_TRUE(first.ok()) << first.error();
  EXPECT_EQ(first->TextOf("a"), "1");
  EXPECT_THAT(first->items(), ElementsAre("1"));
  EXPECT_THAT(JsonPieces::Split(R"({"l":null,"l":[2]})", "l")->items(), IsEmpty());
  EXPECT_FALSE(JsonPieces::Split(R"({"a":1,"a":tru})").ok());
}

TEST(JsonPieces, RefusesWhatIsNoJsonObject) {
  for (const std::string text : {"",
                                 " ",
                                 "{",
                                 "}",
                                 "{}}",
                                 "{} {}",
                                 "{\"a\":1} x",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{\"a\":1 \"b\":2}",
                                 "{\"a\":tru}",
                                 "{\"a\":[}",
                                 "{\"a\":{\"b\":1}",
                                 "{\"a\":[1,2}",
                                 "{\"a\":[{]}",
                                 "{\"l\":[",
                                 "{\"l\":[1",
                                 "{\"l\":[1,",
                                 "{\"l\":[1,]}",
                                 "{\"l\":[1 2]}",
                                 "{\"l\":[{}",
                                 "{\"l\":[{",
                                 "{\"l\":[[",
                                 "{\"l\":[1]",
                                 "{\"l\":[1}",
                                 "{\"l",
                                 "{\"a\":\"b\":}",
                                 "{\"a\":\"\xff\"}",
                                 "{\"a\":\"\n\"}",
                                 "{\"a\":01}",
                                 "{a:1}",
                                 "{\"l\":[1]]}"}) {
    const auto pieces = JsonPieces::Split(text, "l");
    ASSERT_FALSE(pieces.ok()) << text;
    EXPECT_THAT(ToString(pieces.error()), HasSubstr("is no JSON")) << text;
  }
  EXPECT_EQ(ToString(JsonPieces::Split("[1]").error()), "expected an object, got a list");
}

// Cut off or changed anywhere, a text is never split where a strict parser would refuse all of it.
RC_GTEST_PROP(JsonPiecesProperty, AreStrict, ()) {
  std::string text =
      R"({"k":"PodList","l":[{"a":[1,{"b":"c"}]},{},null,"x"],"m":{"c":[],"v":"1"}})";
  if (*rc::gen::arbitrary<bool>()) text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
  for (auto changes = *rc::gen::inRange(0, 3); changes > 0 && !text.empty(); --changes) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] =
        *rc::gen::element('{', '}', '[', ']', ',', ':', '"', '\\', '1', ' ');
  }
  const auto pieces = JsonPieces::Split(text, "l");
  const auto document = JsonDocument::Parse(text);
  bool is_good = pieces.ok();
  if (pieces) {
    for (const auto item : pieces->items()) is_good = is_good && JsonDocument::Parse(item).ok();
  }
  if (document) (void)document->root().Members();  // anything but an object is a mistake
  RC_ASSERT(is_good == (document.ok() && document->Finish().ok()));
}

}  // namespace
}  // namespace gs::kube
