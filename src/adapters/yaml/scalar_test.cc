#include "adapters/yaml/scalar.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

namespace gs::yaml {
namespace {

// The JSON form of a word, or the refusal.
std::string Resolved(std::string_view word) {
  const auto value = ResolvePlain(word);
  return value ? boost::json::serialize(*value) : ToString(value.error());
}

TEST(Scalar, ReadsNullsAndBooleansAsKubectlDoes) {
  for (const auto* word : {"", "~", "null", "Null", "NULL"}) EXPECT_EQ(Resolved(word), "null");
  for (const auto* word : {"true", "True", "yes", "YES", "on", "y"}) {
    EXPECT_EQ(Resolved(word), "true") << word;
  }
  for (const auto* word : {"false", "FALSE", "no", "No", "off", "n"}) {
    EXPECT_EQ(Resolved(word), "false") << word;
  }
  EXPECT_EQ(Resolved("tRue"), "\"tRue\"");
}

TEST(Scalar, ReadsWholeNumbersInEveryBase) {
  EXPECT_EQ(Resolved("0"), "0");
  EXPECT_EQ(Resolved("-7"), "-7");
  EXPECT_EQ(Resolved("+7"), "7");
  EXPECT_EQ(Resolved("0644"), "420");
  EXPECT_EQ(Resolved("0o17"), "15");
  EXPECT_EQ(Resolved("0x1F"), "31");
  EXPECT_EQ(Resolved("0b101"), "5");
  EXPECT_EQ(Resolved("1_000"), "1000");
  EXPECT_EQ(Resolved("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Resolved("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Resolved("18446744073709551615"), "18446744073709551615");
}

TEST(Scalar, ReadsFractionsAndMakesWholeOnesWhole) {
  EXPECT_EQ(Resolved("1.5"), "1.5E0");
  EXPECT_EQ(Resolved("-.5"), "-5E-1");
  EXPECT_EQ(Resolved("1e3"), "1000");
  EXPECT_EQ(Resolved("2.0"), "2");
  EXPECT_EQ(Resolved("089"), "89");
  EXPECT_EQ(Resolved("18446744073709551616"), "1.8446744073709552E19");
}

TEST(Scalar, LeavesEverythingElseText) {
  for (const auto* word :
       {"a",  "1.2.3", "0x",  "0xg", "12:30", "2024-01-01", "-",  "+",   ".",   "...",
        "1e", "1e999", "--1", "inf", "nan",   "_1",         "-_", "8Gi", "1 2", "<<"}) {
    EXPECT_EQ(Resolved(word), "\"" + std::string(word) + "\"");
  }
}

TEST(Scalar, RefusesWhatJsonCannotExpress) {
  EXPECT_EQ(Resolved(".nan"),
            ".nan is no number that JSON can express; put it in quotes if it is meant as text");
  EXPECT_FALSE(ResolvePlain("-.inf").ok());
}

TEST(Scalar, MakesKeysOfTextNumbersAndBooleans) {
  EXPECT_EQ(*KeyOf("a"), "a");
  EXPECT_EQ(*KeyOf(true), "true");
  EXPECT_EQ(*KeyOf(-3), "-3");
  EXPECT_EQ(*KeyOf(UINT64_MAX), "18446744073709551615");
  EXPECT_FALSE(KeyOf(nullptr).ok());
  EXPECT_FALSE(KeyOf(1.5).ok());
}

}  // namespace
}  // namespace gs::yaml
