#include "adapters/kube/login/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using ::testing::HasSubstr;

TEST(Base64, KnowsTheExamplesOfTheStandard) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(*DecodeBase64(text), bytes);
  }
}

TEST(Base64, SkipsLineEnds) { EXPECT_EQ(*DecodeBase64("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNotExact) {
  const std::pair<const char*, const char*> cases[] = {
      {"Zg", "multiple of four"},   {"Zg=", "multiple of four"},  {"Zg=a", "position 4"},
      {"Z===", "too much padding"}, {"====", "too much padding"}, {"Zm 9", "position 3"},
      {"Zm9_", "position 4"},       {"Zh==", "says too much"},    {"Zm9=", "says too much"},
      {"-----BEGIN", "position 1"},
  };
  for (const auto& [text, message] : cases) {
    const auto bytes = DecodeBase64(text);
    ASSERT_FALSE(bytes.ok()) << text;
    EXPECT_THAT(ToString(bytes.error()), HasSubstr(message)) << text;
  }
}

RC_GTEST_PROP(Base64, GivesBackWhatItWasGiven, (const std::string& bytes)) {
  const auto again = DecodeBase64(EncodeBase64(bytes));
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == bytes);
}

// There is one text for each value, so what is accepted is exactly what is written.
RC_GTEST_PROP(Base64, AcceptsOnlyItsOwnForm, (const std::string& text)) {
  const auto bytes = DecodeBase64(text);
  if (!bytes) return;
  std::string letters;
  for (const char letter : text) {
    if (letter != '\n' && letter != '\r') letters += letter;
  }
  RC_ASSERT(EncodeBase64(*bytes) == letters);
}

}  // namespace
}  // namespace gs::kube
