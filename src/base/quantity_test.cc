#include "base/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace gs {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::int64_t Units(std::string_view text) { return Quantity::Parse(text).value().Value(); }
std::int64_t Milli(std::string_view text) { return Quantity::Parse(text).value().MilliValue(); }
std::string Canonical(std::string_view text) { return ToString(Quantity::Parse(text).value()); }
std::string ErrorOf(std::string_view text) {
  const auto quantity = Quantity::Parse(text);
  return quantity ? "no error" : ToString(quantity.error());
}

TEST(Quantity, ReadsEveryDecimalSuffix) {
  EXPECT_EQ(Units("7"), 7);
  EXPECT_EQ(Milli("7m"), 7);
  EXPECT_EQ(Milli("7000u"), 7);
  EXPECT_EQ(Milli("7000000n"), 7);
  EXPECT_EQ(Units("7k"), 7'000);
  EXPECT_EQ(Units("7M"), 7'000'000);
  EXPECT_EQ(Units("7G"), 7'000'000'000);
  EXPECT_EQ(Units("7T"), 7'000'000'000'000);
  EXPECT_EQ(Units("7P"), 7'000'000'000'000'000);
  EXPECT_EQ(Units("7E"), 7'000'000'000'000'000'000);
}

TEST(Quantity, ReadsEveryBinarySuffix) {
  EXPECT_EQ(Units("3Ki"), std::int64_t{3} << 10);
  EXPECT_EQ(Units("3Mi"), std::int64_t{3} << 20);
  EXPECT_EQ(Units("3Gi"), std::int64_t{3} << 30);
  EXPECT_EQ(Units("3Ti"), std::int64_t{3} << 40);
  EXPECT_EQ(Units("3Pi"), std::int64_t{3} << 50);
  EXPECT_EQ(Units("3Ei"), std::int64_t{3} << 60);
}

TEST(Quantity, TellsTheExponentFromExa) {
  EXPECT_EQ(Units("1E"), 1'000'000'000'000'000'000);
  EXPECT_EQ(Units("1E3"), 1'000);
  EXPECT_EQ(Units("12e6"), 12'000'000);
  EXPECT_EQ(Units("12e+6"), 12'000'000);
  EXPECT_EQ(Milli("12e-3"), 12);
  EXPECT_EQ(Units("0.000000000000000001E"), 1);
}

TEST(Quantity, ReadsSignsAndFractions) {
  EXPECT_EQ(Units("+5"), 5);
  EXPECT_EQ(Units("-5"), -5);
  EXPECT_EQ(Milli(".5"), 500);
  EXPECT_EQ(Milli("5."), 5000);
  EXPECT_EQ(Milli("0.57"), 570);
  EXPECT_EQ(Units("1.5Gi"), std::int64_t{3} << 29);
  EXPECT_EQ(Units("-0"), 0);
}

TEST(Quantity, RoundsAwayFromZero) {
  EXPECT_EQ(Units("1m"), 1);
  EXPECT_EQ(Units("-1m"), -1);
  EXPECT_EQ(Units("1.0000000001"), 2);
  EXPECT_EQ(Milli("1u"), 1);
  EXPECT_EQ(Milli("100.1m"), 101);
  EXPECT_EQ(Units("0.1Ki"), 103);
}

TEST(Quantity, KeepsALittleFromBecomingNothing) {
  EXPECT_EQ(Canonical("0.1n"), "1n");
  EXPECT_EQ(Canonical("0." + std::string(500, '0') + "1"), "1n");
  EXPECT_EQ(Canonical("1e-2147483648"), "1n");
  EXPECT_EQ(Canonical("-0.1n"), "-1n");
}

TEST(Quantity, StaysExactWithManyDigits) {
  EXPECT_EQ(Canonical("0.0000000001Ei"), "115292150460684698n");
  EXPECT_EQ(Canonical("123456789.123456789"), "123456789123456789n");
  EXPECT_EQ(Units("0.5" + std::string(300, '0') + "Ki"), 512);
  EXPECT_EQ(Units("0.5" + std::string(300, '0') + "1Ki"), 513);
}

TEST(Quantity, CapsWhatIsTooLarge) {
  EXPECT_EQ(Units("10E"), kMax);
  EXPECT_EQ(Units("8Ei"), kMax);
  EXPECT_EQ(Units("-100Ei"), -kMax);
  EXPECT_EQ(Units("1e2147483647"), kMax);
  EXPECT_EQ(Units(std::string(1000, '9') + "Ei"), kMax);
  EXPECT_EQ(Units("0e2147483647"), 0);
  EXPECT_EQ(Milli("9223372036854775807"), kMax);
  EXPECT_EQ(Milli("-9223372036854775807"), std::numeric_limits<std::int64_t>::min());
}

TEST(Quantity, PrintsTheCanonicalForm) {
  EXPECT_EQ(Canonical("0"), "0");
  EXPECT_EQ(Canonical("1500m"), "1500m");
  EXPECT_EQ(Canonical("1000m"), "1");
  EXPECT_EQ(Canonical("1.5Gi"), "1536Mi");
  EXPECT_EQ(Canonical("2048Ki"), "2Mi");
  EXPECT_EQ(Canonical("0.5Ki"), "512");
  EXPECT_EQ(Canonical("1.0001Ki"), "1024102400u");
  EXPECT_EQ(Canonical("12e6"), "12M");
  EXPECT_EQ(Canonical("-0.5"), "-500m");
  EXPECT_EQ(Canonical("9E"), "9E");
}

TEST(Quantity, ComparesByValueNotByText) {
  EXPECT_EQ(Quantity::Parse("1Ki").value(), Quantity::OfUnits(1024));
  EXPECT_EQ(Quantity::Parse("0.1").value(), Quantity::OfMilli(100));
  EXPECT_LT(Quantity::Parse("1k").value(), Quantity::Parse("1Ki").value());
  EXPECT_GT(Quantity::Parse("-1").value(), Quantity::Parse("-1.1").value());
}

TEST(Quantity, AddsAndSubtractsWithinTheCap) {
  const auto gib = Quantity::Parse("1Gi").value();
  EXPECT_EQ(ToString(gib.Plus(gib).value()), "2Gi");
  EXPECT_EQ(ToString(Quantity().Minus(gib).value()), "-1073741824");
  const auto most = Quantity::OfUnits(kMax);
  EXPECT_FALSE(most.Plus(Quantity::OfMilli(1)).ok());
  EXPECT_FALSE(Quantity().Minus(most).value().Minus(Quantity::OfMilli(1)).ok());
  EXPECT_EQ(Quantity::OfUnits(std::numeric_limits<std::int64_t>::min()).Value(), -kMax);
}

TEST(Quantity, ErrorsNameTheColumnAndWhatWasExpected) {
  EXPECT_EQ(ErrorOf(""), "line 1, column 1: expected a digit, found the end of the text");
  EXPECT_EQ(ErrorOf("-Ki"), "line 1, column 2: expected a digit, found 'K'");
  EXPECT_EQ(ErrorOf("."), "line 1, column 2: expected a digit, found the end of the text");
  EXPECT_EQ(ErrorOf("5Kib"),
            "line 1, column 2: expected a suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an "
            "exponent such as e3), found 'K'");
  EXPECT_EQ(ErrorOf("5 Gi"), "line 1, column 2: expected the end of the quantity, found ' '");
  EXPECT_EQ(ErrorOf("1.2.3"), "line 1, column 4: expected the end of the quantity, found '.'");
  EXPECT_EQ(ErrorOf("1e+-3"), "line 1, column 4: expected a digit of the exponent, found '-'");
}

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  for (const auto* text : {"K", "1K", "1ki", "1e", "1ee3", "e3", "1Ki3", "1mm", "--1", "0x1", "1,5",
                           "1e99999999999", "NaN", "1 ", " 1", "1e1.5"}) {
    EXPECT_FALSE(Quantity::Parse(text).ok()) << text;
  }
}

RC_GTEST_PROP(Quantity, ReadsBackWhatItPrints, (std::int64_t number)) {
  const std::string suffix = *rc::gen::element<std::string>("n", "u", "m", "", "k", "M", "E", "Ki",
                                                            "Mi", "Gi", "Ei", "e-7");
  const auto quantity = Quantity::Parse(std::to_string(number) + suffix).value();
  RC_ASSERT(Quantity::Parse(ToString(quantity)).value() == quantity);
  RC_ASSERT(Canonical(ToString(quantity)) == ToString(quantity));
}

RC_GTEST_PROP(Quantity, UnitsAndMilliReadBackExactly, (std::int64_t number)) {
  RC_ASSERT(Quantity::OfMilli(number).MilliValue() == number);
  RC_ASSERT(Quantity::Parse(std::to_string(number) + "m").value() == Quantity::OfMilli(number));
  RC_PRE(number != std::numeric_limits<std::int64_t>::min());
  RC_ASSERT(Quantity::OfUnits(number, Quantity::Format::kBinary).Value() == number);
}

RC_GTEST_PROP(Quantity, AddingThenSubtractingChangesNothing, (std::int32_t a, std::int32_t b)) {
  const auto first = Quantity::OfMilli(a);
  const auto second = Quantity::OfUnits(b);
  RC_ASSERT(first.Plus(second).value().Minus(second).value() == first);
  RC_ASSERT((first < second) == (a < std::int64_t{b} * 1000));
}

}  // namespace
}  // namespace gs
