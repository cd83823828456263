#include "adapters/localcluster/cel/cel_scan.h"

#include <algorithm>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/localcluster/cel/cel_parse.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

bool IsNameStart(char letter) {
  return text::IsLower(letter) || text::IsUpper(letter) || letter == '_';
}

bool IsNamePart(char letter) { return IsNameStart(letter) || text::IsDigit(letter); }

class Scanner {
 public:
  explicit Scanner(std::string_view expression) : all_(expression) {}

  Result<std::vector<CelToken>> Run() {
    std::vector<CelToken> tokens;
    while (true) {
      SkipBlanks();
      auto token = Take();
      if (!token) return std::move(token).error();
      tokens.push_back(*std::move(token));
      if (tokens.back().kind == CelToken::Kind::kEnd) return tokens;
    }
  }

 private:
  [[nodiscard]] std::string_view Rest() const { return all_.substr(at_); }
  [[nodiscard]] Error Refused(std::string_view message) const {
    return CelError(ErrorKind::kInvalid, all_, at_, message);
  }
  [[nodiscard]] Error Unsupported(std::string_view what) const {
    return CelError(ErrorKind::kUnsupported, all_, at_, std::string(what) + " are not supported");
  }

  void SkipBlanks() {
    while (at_ < all_.size()) {
      if (Rest().starts_with("//")) {
        at_ = std::min(all_.find('\n', at_), all_.size());
      } else if (std::string_view(" \t\r\n\f").find(all_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Result<CelToken> Take() {
    if (at_ == all_.size()) return CelToken{.offset = at_};
    const char first = all_[at_];
    if (text::IsDigit(first) ||
        (first == '.' && at_ + 1 < all_.size() && text::IsDigit(all_[at_ + 1]))) {
      return TakeNumber();
    }
    if (first == '\'' || first == '"') return TakeString(Raw::kNo);
    if (IsNameStart(first)) return TakeName();
    for (const std::string_view symbol :
         {"||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*",
          "/",  "%",  "!",  "?",  ":",  ".",  ",", "(", ")", "[", "]"}) {
      if (Rest().starts_with(symbol)) return Token(CelToken::Kind::kSymbol, symbol.size());
    }
    if (first == '{' || first == '}') return Unsupported("maps and messages");
    return Refused("Syntax error: token recognition error at: '" + std::string(1, first) + "'");
  }

  CelToken Token(CelToken::Kind kind, std::size_t size) {
    CelToken token{.kind = kind, .text = Rest().substr(0, size), .offset = at_};
    at_ += size;
    return token;
  }

  Result<CelToken> TakeName() {
    const auto rest = Rest();
    const auto end = std::find_if_not(rest.begin(), rest.end(), IsNamePart);
    const auto size = static_cast<std::size_t>(end - rest.begin());
    const auto name = rest.substr(0, size);
    const bool is_quoted = size < rest.size() && (rest[size] == '\'' || rest[size] == '"');
    if (is_quoted && (name == "r" || name == "R")) {
      ++at_;
      return TakeString(Raw::kYes);
    }
    if (is_quoted) return Unsupported("bytes");
    CelToken token = Token(CelToken::Kind::kName, size);
    if (name != "true" && name != "false" && name != "null") return token;
    token.kind = CelToken::Kind::kLiteral;
    if (name != "null") token.literal = name == "true";
    return token;
  }

  Result<CelToken> TakeNumber() {
    const auto rest = Rest();
    if (rest.starts_with("0x") || rest.starts_with("0X")) return Unsupported("hexadecimal numbers");
    std::size_t size = 0;
    const auto skip_digits = [&] {
      while (size < rest.size() && text::IsDigit(rest[size])) ++size;
    };
    skip_digits();
    bool is_whole = true;
    if (size + 1 < rest.size() && rest[size] == '.' && text::IsDigit(rest[size + 1])) {
      is_whole = false;
      ++size;
      skip_digits();
    }
    if (size < rest.size() && (rest[size] == 'e' || rest[size] == 'E')) {
      is_whole = false;
      ++size;
      if (size < rest.size() && (rest[size] == '+' || rest[size] == '-')) ++size;
      skip_digits();
    }
    if (size < rest.size() && (rest[size] == 'u' || rest[size] == 'U')) {
      return Unsupported("unsigned numbers");
    }
    return is_whole ? Whole(size) : Fraction(size);
  }

  Result<CelToken> Whole(std::size_t size) {
    const auto number = ParseInt64(Rest().substr(0, size));
    if (!number) return Refused("Syntax error: invalid int literal");
    CelToken token = Token(CelToken::Kind::kLiteral, size);
    token.literal = *number;
    return token;
  }

  Result<CelToken> Fraction(std::size_t size) {
    const std::string digits(Rest().substr(0, size));
    const auto number = json::ParseJson(digits.starts_with('.') ? "0" + digits : digits);
    if (!number || !number->is_double()) return Refused("Syntax error: invalid double literal");
    CelToken token = Token(CelToken::Kind::kLiteral, size);
    token.literal = *number;
    return token;
  }

  enum class Raw : std::uint8_t { kNo, kYes };

  Result<CelToken> TakeString(Raw raw) {
    const char quote = all_[at_];
    if (Rest().starts_with(std::string(3, quote))) return Unsupported("strings in three quotes");
    std::string text;
    std::size_t size = 1;
    const auto rest = Rest();
    while (size < rest.size() && rest[size] != quote && rest[size] != '\n') {
      if (rest[size] == '\\' && raw == Raw::kNo) {
        if (!TakeEscape(rest, size, text)) return Refused("Syntax error: unknown escape sequence");
      } else {
        text += rest[size++];
      }
    }
    if (size >= rest.size() || rest[size] != quote) {
      return Refused("Syntax error: token recognition error at: '" + std::string(1, quote) + "'");
    }
    CelToken token = Token(CelToken::Kind::kLiteral, size + 1);
    token.literal = text;
    return token;
  }

  // Those that stand for one character, which are the ones people write.
  static bool TakeEscape(std::string_view rest, std::size_t& size, std::string& text) {
    constexpr std::pair<char, char> kEscapes[] = {{'n', '\n'},  {'t', '\t'},  {'r', '\r'},
                                                  {'\\', '\\'}, {'\'', '\''}, {'"', '"'},
                                                  {'`', '`'},   {'?', '?'}};
    if (size + 1 >= rest.size()) return false;
    for (const auto& [letter, meaning] : kEscapes) {
      if (rest[size + 1] != letter) continue;
      text += meaning;
      size += 2;
      return true;
    }
    return false;
  }

  std::string_view all_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<CelToken>> ScanCel(std::string_view expression) {
  return Scanner(expression).Run();
}

}  // namespace gs::localcluster
