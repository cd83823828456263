#include "base/uuid_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gs {
namespace {

// UUIDs, texts that are nearly some, and others.
rc::Gen<std::string> AnyUid() {
  return rc::gen::exec([] {
    static constexpr std::string_view kLetters = "0123456789abcdef0123456789abcdefABFg-\xff";
    const std::string_view letters = kLetters.substr(0, *rc::gen::element<std::size_t>(16, 34, 38));
    std::string text = "00000000-0000-0000-0000-000000000000";
    for (char& letter : text) {
      if (letter == '0') letter = letters[*rc::gen::inRange<std::size_t>(0, letters.size())];
    }
    text.resize(*rc::gen::element<std::size_t>(36, 36, 36, 36, 35, 37, 8, 1, 0), 'a');
    return text;
  });
}

RC_GTEST_PROP(UuidText, IsTheTextItWasMadeOf, ()) {
  const std::string text = *AnyUid();
  RC_ASSERT(UuidText(text).text() == text);
  RC_ASSERT(UuidText(text).empty() == text.empty());
}

RC_GTEST_PROP(UuidText, IsOrderedAsItsTextIs, ()) {
  std::string a = *AnyUid();
  std::string b = *AnyUid();
  // As far as they are the same, what follows decides.
  const std::size_t same = *rc::gen::inRange<std::size_t>(0, 38);
  b = a.substr(0, same) + b.substr(std::min(same, b.size()));
  RC_ASSERT((UuidText(a) <=> UuidText(b)) == (a <=> b));
  RC_ASSERT((UuidText(a) == UuidText(b)) == (a == b));
  RC_ASSERT(UuidText(a) == UuidText(a));
  if (a == b) RC_ASSERT(UuidText(a).hash() == UuidText(b).hash());
}

TEST(UuidText, OfEveryKindIsOrderedAsItsTextIs) {
  const std::vector<std::string> texts{
      "",
      "5f1c2d3e",
      "5f1c2d3e-9a52-4d5e-8b0e-0a1b2c3d4e5f",
      "5f1c2d3e-9a52-4d5e-8b0e-0a1b2c3d4e5e",
      "5f1c2d3e-9a52-4d5e-8b0e-0a1b2c3d4e5f0",
      "5f1c2d3e-9a52-4d5e-7b0e-0a1b2c3d4e5f",  // not of today's kind
      "5f1c2d3e-9a52-4d5e-fb0e-0a1b2c3d4e5f",
      "5F1C2D3E-9A52-4D5E-8B0E-0A1B2C3D4E5F",
      "5f1c2d3e-9a52-4d5e-8b0e_0a1b2c3d4e5f",
      "00000000-0000-0000-0000-000000000000",
      "00000000-0000-0000-8000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "uid-of-a-static-pod"};
  for (const std::string& a : texts) {
    EXPECT_EQ(UuidText(a).text(), a);
    for (const std::string& b : texts) {
      EXPECT_EQ(UuidText(a) <=> UuidText(b), a <=> b) << a << " and " << b;
      EXPECT_EQ(UuidText(a) == UuidText(b), a == b) << a << " and " << b;
    }
  }
}

TEST(UuidText, TakesSixteenBytes) { EXPECT_EQ(sizeof(UuidText), 16U); }

TEST(UuidText, ThatWasMovedFromIsEmpty) {
  for (const char* text : {"5f1c2d3e-9a52-4d5e-8b0e-0a1b2c3d4e5f", "a"}) {
    UuidText from(text);
    const UuidText to = std::move(from);
    EXPECT_EQ(to, UuidText(text));
    EXPECT_EQ(from, UuidText());  // NOLINT(bugprone-use-after-move): what the test is about
  }
}

}  // namespace
}  // namespace gs
