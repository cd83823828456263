#include "adapters/yaml/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

namespace gs::yaml {
namespace {

using std::string_view;

constexpr std::array kNulls{string_view(""), string_view("~"), string_view("null"),
                            string_view("Null"), string_view("NULL")};
constexpr std::array kTrues{string_view("true"), string_view("True"), string_view("TRUE"),
                            string_view("yes"),  string_view("Yes"),  string_view("YES"),
                            string_view("on"),   string_view("On"),   string_view("ON"),
                            string_view("y"),    string_view("Y")};
constexpr std::array kFalses{string_view("false"), string_view("False"), string_view("FALSE"),
                             string_view("no"),    string_view("No"),    string_view("NO"),
                             string_view("off"),   string_view("Off"),   string_view("OFF"),
                             string_view("n"),     string_view("N")};
constexpr std::array kNotNumbers{string_view(".nan"), string_view(".NaN"), string_view(".NAN"),
                                 string_view(".inf"), string_view(".Inf"), string_view(".INF")};

// Above this a double no longer holds every whole number.
constexpr double kMaxExactWhole = 9007199254740992.0;

template <class Words>
bool IsOneOf(const Words& words, string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

bool HasSign(string_view word) { return !word.empty() && (word[0] == '-' || word[0] == '+'); }

string_view WithoutSign(string_view word) { return word.substr(HasSign(word) ? 1 : 0); }

// Takes the base off the front of the digits: 0x, 0o, 0b, or a zero before further digits for
// octal.
int TakeBase(string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char mark = static_cast<char>(digits[1] | 0x20);  // lower case
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

std::optional<boost::json::value> WholeNumber(string_view word) {
  string_view digits = WithoutSign(word);
  const int base = TakeBase(digits);
  std::uint64_t size = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
  if (word[0] == '-') {
    if (size > kMaxInt64 + 1) return std::nullopt;
    return boost::json::value(static_cast<std::int64_t>(~size + 1));
  }
  if (size > kMaxInt64) return boost::json::value(size);
  return boost::json::value(static_cast<std::int64_t>(size));
}

// Takes digits off the front and says how many there were.
std::size_t TakeDigits(string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

// Digits with an optional point among them and an optional exponent. Keeps out "inf" and "0x1p3",
// which the number reader of the library would take.
bool IsDecimal(string_view word) {
  std::size_t digits = TakeDigits(word);
  if (!word.empty() && word[0] == '.') {
    word.remove_prefix(1);
    digits += TakeDigits(word);
  }
  if (digits == 0) return false;
  if (word.empty()) return true;
  if (word[0] != 'e' && word[0] != 'E') return false;
  word = WithoutSign(word.substr(1));
  return TakeDigits(word) > 0 && word.empty();
}

std::optional<boost::json::value> Fraction(string_view word) {
  const string_view digits = WithoutSign(word);
  if (!IsDecimal(digits)) return std::nullopt;
  double number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  if (word[0] == '-') number = -number;
  // 1e3 and 2.0 are whole numbers to Kubernetes too: on their way through JSON they lose their
  // point.
  if (number == std::floor(number) && std::abs(number) < kMaxExactWhole) {
    return boost::json::value(static_cast<std::int64_t>(number));
  }
  return boost::json::value(number);
}

std::optional<boost::json::value> Number(string_view word) {
  if (!IsDigit(word[0]) && !HasSign(word) && word[0] != '.') return std::nullopt;
  std::string plain(word);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  if (plain.empty()) return std::nullopt;
  const auto whole = WholeNumber(plain);
  return whole ? whole : Fraction(plain);
}

}  // namespace

Result<boost::json::value> ResolvePlain(string_view word) {
  if (IsOneOf(kNulls, word)) return boost::json::value(nullptr);
  if (IsOneOf(kTrues, word)) return boost::json::value(true);
  if (IsOneOf(kFalses, word)) return boost::json::value(false);
  if (IsOneOf(kNotNumbers, WithoutSign(word))) {
    return Error(ErrorKind::kInvalid, std::string(word) + " is no number that JSON can express")
        .Advise("put it in quotes if it is meant as text");
  }
  if (auto number = Number(word)) return *std::move(number);
  return boost::json::value(boost::json::string_view(word.data(), word.size()));
}

Result<std::string> KeyOf(const boost::json::value& scalar) {
  if (scalar.is_string()) return std::string(scalar.get_string());
  if (scalar.is_bool()) return std::string(scalar.get_bool() ? "true" : "false");
  if (scalar.is_int64()) return std::to_string(scalar.get_int64());
  if (scalar.is_uint64()) return std::to_string(scalar.get_uint64());
  if (scalar.is_null()) return Error(ErrorKind::kInvalid, "a key is missing");
  return Error(ErrorKind::kInvalid, "a key must be text, a whole number or a boolean")
      .Advise("put it in quotes");
}

}  // namespace gs::yaml
