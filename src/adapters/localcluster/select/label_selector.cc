#include "adapters/localcluster/select/label_selector.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <utility>

#include "adapters/localcluster/select/label_rules.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using Operator = LabelRequirement::Operator;

constexpr std::string_view kBinaryOperators = "in, notin, =, ==, !=, gt, lt";

Error Refused(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }

std::string InvalidValue(std::string_view path, std::string_view value, std::string_view why) {
  return std::string(path) +
         ": Invalid value: " + boost::json::serialize(boost::json::value(value)) + ": " +
         std::string(why);
}

std::string Joined(const std::vector<std::string>& sentences) {
  return text::Join(sentences, "; ", [](const std::string& sentence) { return sentence; });
}

// One fault is a sentence, several are a list of them.
Result<void> Verdict(const std::vector<std::string>& faults) {
  if (faults.empty()) return {};
  if (faults.size() == 1) return Refused(faults.front());
  return Refused("[" + text::Join(faults, ", ", [](const std::string& fault) { return fault; }) +
                 "]");
}

// "key" and "values" are how the server calls the parts.
Result<void> CheckRequirement(const LabelRequirement& requirement) {
  std::vector<std::string> faults;
  if (const auto wrong = LabelNameFaults(requirement.name); !wrong.empty()) {
    faults.push_back(InvalidValue("key", requirement.name, Joined(wrong)));
  }
  const bool is_set = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
  const bool is_order = requirement.op == Operator::kGreater || requirement.op == Operator::kLess;
  if (is_set && requirement.values.empty()) {
    faults.emplace_back(
        "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
  }
  if (!is_set && !is_order && !requirement.values.empty()) {
    faults.emplace_back("values: Invalid value: " +
                        boost::json::serialize(boost::json::array(requirement.values.begin(),
                                                                  requirement.values.end())) +
                        ": values set must be empty for exists and does not exist");
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string path = "values[" + std::to_string(i) + "]";
    const std::string& value = requirement.values[i];
    if (is_order && !ParseInt64(value)) {
      faults.push_back(
          InvalidValue(path, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
    if (const auto wrong = LabelValueFaults(value); !wrong.empty()) {
      faults.push_back(InvalidValue(path + "[" + requirement.name + "]", value, Joined(wrong)));
    }
  }
  return Verdict(faults);
}

enum class Token : std::uint8_t {
  kEnd,
  kWord,
  kComma,
  kOpen,
  kClose,
  kNot,
  kEquals,
  kNotEquals,
  kGreater,
  kLess,
  kIn,
  kNotIn
};

struct Scanned {
  Token token;
  std::string_view text;
};

bool IsBlank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

constexpr std::string_view kSymbols = "=!(),><";

Token SymbolOf(std::string_view text) {
  switch (text.front()) {
    case '(': return Token::kOpen;
    case ')': return Token::kClose;
    case ',': return Token::kComma;
    case '>': return Token::kGreater;
    case '<': return Token::kLess;
    case '=': return Token::kEquals;
    default: return text.size() == 2 ? Token::kNotEquals : Token::kNot;
  }
}

std::vector<Scanned> Scan(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::vector<Scanned> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (IsBlank(text[at])) {
      ++at;
    } else if (kSymbols.find(text[at]) != std::string_view::npos) {
      const auto pair = text.substr(at, 2);
      const auto symbol = pair == "==" || pair == "!=" ? pair : text.substr(at, 1);
      tokens.push_back({SymbolOf(symbol), symbol});
      at += symbol.size();
    } else {
      std::size_t end = at;
      while (end < text.size() && !IsBlank(text[end]) &&
             kSymbols.find(text[end]) == std::string_view::npos) {
        ++end;
      }
      const auto word = text.substr(at, end - at);
      const Token token = word == "in"      ? Token::kIn
                          : word == "notin" ? Token::kNotIn
                                            : Token::kWord;
      tokens.push_back({token, word});
      at = end;
    }
  }
  tokens.push_back({Token::kEnd, ""});
  return tokens;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(Scan(text)) {}

  Result<std::vector<LabelRequirement>> Run() {
    std::vector<LabelRequirement> requirements;
    while (NextWord() != Token::kEnd) {
      if (NextWord() != Token::kWord && NextWord() != Token::kNot) {
        return Found("expected: !, identifier, or 'end of string'");
      }
      auto requirement = TakeRequirement();
      if (!requirement) {
        return Refused("unable to parse requirement: " + requirement.error().message());
      }
      requirements.push_back(*std::move(requirement));
      if (NextWord() == Token::kEnd) break;
      if (NextWord() != Token::kComma) return Found("expected: ',' or 'end of string'");
      ++at_;
      if (NextWord() != Token::kWord && NextWord() != Token::kNot) {
        return Found("expected: identifier after ','");
      }
    }
    return requirements;
  }

 private:
  [[nodiscard]] const Scanned& Next() const { return tokens_[at_]; }
  // Where no operator can stand, "in" and "notin" are words.
  [[nodiscard]] Token NextWord() const {
    const bool is_word = Next().token == Token::kIn || Next().token == Token::kNotIn;
    return is_word ? Token::kWord : Next().token;
  }
  void Skip() {
    if (Next().token != Token::kEnd) ++at_;
  }
  [[nodiscard]] Error Found(std::string_view expected, std::string_view separator = ", ") const {
    return Refused("found '" + std::string(Next().text) + "'" + std::string(separator) +
                   std::string(expected));
  }

  Result<LabelRequirement> TakeRequirement() {
    LabelRequirement requirement;
    const bool is_negated = NextWord() == Token::kNot;
    if (is_negated) Skip();
    if (NextWord() != Token::kWord) return Found("expected: identifier");
    requirement.name = Next().text;
    if (const auto wrong = LabelNameFaults(requirement.name); !wrong.empty()) {
      return Refused(InvalidValue("<nil>", requirement.name, Joined(wrong)));
    }
    Skip();
    if (NextWord() == Token::kEnd || NextWord() == Token::kComma || is_negated) {
      requirement.op = is_negated ? Operator::kDoesNotExist : Operator::kExists;
      return requirement;
    }
    return TakeOperator(std::move(requirement));
  }

  Result<LabelRequirement> TakeOperator(LabelRequirement requirement) {
    const Token token = Next().token;
    switch (token) {
      case Token::kIn:
      case Token::kEquals: requirement.op = Operator::kIn; break;
      case Token::kNotIn:
      case Token::kNotEquals: requirement.op = Operator::kNotIn; break;
      case Token::kGreater: requirement.op = Operator::kGreater; break;
      case Token::kLess: requirement.op = Operator::kLess; break;
      default: return Found("expected: " + std::string(kBinaryOperators));
    }
    Skip();
    const bool has_list = token == Token::kIn || token == Token::kNotIn;
    auto values = has_list ? TakeList() : TakeValue();
    if (!values) return std::move(values).error();
    requirement.values.assign(values->begin(), values->end());
    if (auto checked = CheckRequirement(requirement); !checked) return std::move(checked).error();
    return requirement;
  }

  Result<std::set<std::string>> TakeValue() {
    if (NextWord() == Token::kEnd || NextWord() == Token::kComma) return std::set<std::string>{""};
    if (NextWord() != Token::kWord) return Found("expected: identifier");
    std::set<std::string> values{std::string(Next().text)};
    Skip();
    return values;
  }

  // "(a, b)"; what is missing between commas is the empty value.
  Result<std::set<std::string>> TakeList() {
    if (NextWord() != Token::kOpen) return Found("expected: '('", " ");
    Skip();
    if (NextWord() != Token::kWord && NextWord() != Token::kComma && NextWord() != Token::kClose) {
      return Found("expected: ',', ')' or identifier");
    }
    std::set<std::string> values;
    bool wants_value = true;
    for (; NextWord() != Token::kClose; Skip()) {
      if (NextWord() == Token::kWord && wants_value) {
        values.emplace(Next().text);
        wants_value = false;
      } else if (NextWord() == Token::kComma) {
        if (wants_value) values.emplace("");
        wants_value = true;
      } else {
        return Found(wants_value ? "expected: ',', or identifier" : "expected: ',' or ')'");
      }
    }
    if (wants_value) values.emplace("");
    Skip();
    return values;
  }

  std::vector<Scanned> tokens_;  // the last one is the end
  std::size_t at_ = 0;
};

std::vector<LabelRequirement> Sorted(std::vector<LabelRequirement> requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  return requirements;
}

constexpr std::pair<Operator, std::string_view> kExpressionOperators[] = {
    {Operator::kIn, "In"},
    {Operator::kNotIn, "NotIn"},
    {Operator::kExists, "Exists"},
    {Operator::kDoesNotExist, "DoesNotExist"}};

std::string TextOf(const boost::json::object& fields, std::string_view name) {
  const auto* field = fields.if_contains(name);
  const auto* text = field == nullptr ? nullptr : field->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

Result<LabelRequirement> ReadExpression(const boost::json::value& expression) {
  const auto* fields = expression.if_object();
  if (fields == nullptr) return Refused("matchExpressions: each must be an object");
  LabelRequirement requirement;
  requirement.name = TextOf(*fields, "key");
  const std::string name = TextOf(*fields, "operator");
  const auto* known = std::find_if(std::begin(kExpressionOperators), std::end(kExpressionOperators),
                                   [&](const auto& entry) { return entry.second == name; });
  if (known == std::end(kExpressionOperators)) {
    return Refused(boost::json::serialize(boost::json::value(name)) +
                   " is not a valid label selector operator");
  }
  requirement.op = known->first;
  if (const auto* values = fields->if_contains("values"); values != nullptr && values->is_array()) {
    for (const auto& value : values->get_array()) {
      if (!value.is_string()) return Refused("matchExpressions: values must be texts");
      requirement.values.emplace_back(value.get_string());
    }
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  return requirement;
}

Result<std::vector<LabelRequirement>> ReadObject(const boost::json::object& selector) {
  std::vector<LabelRequirement> requirements;
  if (const auto* labels = selector.if_contains("matchLabels"); labels && labels->is_object()) {
    for (const auto& [name, value] : labels->get_object()) {
      if (!value.is_string()) return Refused("matchLabels: values must be texts");
      requirements.push_back(
          {.name = name, .op = Operator::kIn, .values = {std::string(value.get_string())}});
    }
  }
  const auto* expressions = selector.if_contains("matchExpressions");
  if (expressions != nullptr && expressions->is_array()) {
    for (const auto& expression : expressions->get_array()) {
      auto requirement = ReadExpression(expression);
      if (!requirement) return std::move(requirement).error();
      requirements.push_back(*std::move(requirement));
    }
  }
  for (const auto& requirement : requirements) {
    if (auto checked = CheckRequirement(requirement); !checked) return std::move(checked).error();
  }
  return requirements;
}

std::string Printed(const LabelRequirement& requirement) {
  const auto listed = [&] {
    return "(" +
           text::Join(requirement.values, ",", [](const std::string& value) { return value; }) +
           ")";
  };
  const bool is_single = requirement.values.size() == 1;
  switch (requirement.op) {
    case Operator::kExists: return requirement.name;
    case Operator::kDoesNotExist: return "!" + requirement.name;
    case Operator::kGreater: return requirement.name + ">" + requirement.values.front();
    case Operator::kLess: return requirement.name + "<" + requirement.values.front();
    case Operator::kIn:
      return is_single ? requirement.name + "=" + requirement.values.front()
                       : requirement.name + " in " + listed();
    case Operator::kNotIn:
      return is_single ? requirement.name + "!=" + requirement.values.front()
                       : requirement.name + " notin " + listed();
  }
  return "";
}

bool IsOrdered(Operator op, std::string_view value, const std::string& bound) {
  const auto number = ParseInt64(value);
  const auto limit = ParseInt64(bound);
  if (!number || !limit) return false;
  return op == Operator::kGreater ? *number > *limit : *number < *limit;
}

}  // namespace

bool LabelRequirement::Matches(const std::string_view* value) const {
  const auto is_listed = [&] {
    return std::find(values.begin(), values.end(), *value) != values.end();
  };
  switch (op) {
    case Operator::kExists: return value != nullptr;
    case Operator::kDoesNotExist: return value == nullptr;
    case Operator::kIn: return value != nullptr && is_listed();
    case Operator::kNotIn: return value == nullptr || !is_listed();
    case Operator::kGreater:
    case Operator::kLess: return value != nullptr && IsOrdered(op, *value, values.front());
  }
  return false;
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  auto requirements = Parser(text).Run();
  if (!requirements) return std::move(requirements).error();
  LabelSelector selector;
  selector.requirements_ = Sorted(*std::move(requirements));
  return selector;
}

Result<LabelSelector> LabelSelector::FromObject(const boost::json::value* object) {
  LabelSelector selector;
  if (object == nullptr || object->is_null()) {
    selector.matches_nothing_ = true;
    return selector;
  }
  if (!object->is_object()) return Refused("a label selector must be an object");
  auto requirements = ReadObject(object->get_object());
  if (!requirements) return std::move(requirements).error();
  selector.requirements_ = Sorted(*std::move(requirements));
  return selector;
}

bool LabelSelector::MatchesObject(const boost::json::value* labels) const {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  if (labels != nullptr && labels->is_object()) {
    for (const auto& [name, value] : labels->get_object()) {
      if (value.is_string()) pairs.emplace_back(name, value.get_string());
    }
  }
  return Matches(pairs);
}

std::string ToString(const LabelSelector& selector) {
  return text::Join(selector.requirements(), ",", Printed);
}

}  // namespace gs::localcluster
