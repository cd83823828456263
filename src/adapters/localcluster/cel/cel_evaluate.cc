#include "adapters/localcluster/cel/cel_evaluate.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/localcluster/cel/cel_parse.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using boost::json::value;

constexpr int kMaxSteps = 1'000'000;

Error Failed(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }
Error NoOverload() { return Failed("no such overload"); }

// A value of the document that is only looked at, or one that was computed.
class Held {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` reads well.
  Held(const value* borrowed) : borrowed_(borrowed) {}
  Held(value owned) : owned_(std::move(owned)) {}
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] bool is_borrowed() const { return borrowed_ != nullptr; }
  [[nodiscard]] const value& get() const { return borrowed_ != nullptr ? *borrowed_ : owned_; }

 private:
  const value* borrowed_ = nullptr;
  value owned_;
};

bool IsInt(const value& number) { return number.is_int64() || number.is_uint64(); }
bool IsNumber(const value& number) { return IsInt(number) || number.is_double(); }

double AsDouble(const value& number) {
  if (number.is_double()) return number.get_double();
  return number.is_int64() ? static_cast<double>(number.get_int64())
                           : static_cast<double>(number.get_uint64());
}

bool AreEqual(const value& a, const value& b) {
  if (IsNumber(a) && IsNumber(b) && (a.is_double() || b.is_double())) {
    return AsDouble(a) == AsDouble(b);
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(),
                      b.get_array().end(), AreEqual);
  }
  return a == b;
}

std::int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  });
}

Result<Held> SizeOf(const value& measured) {
  if (measured.is_array()) return Held(value(measured.get_array().size()));
  if (measured.is_object()) return Held(value(measured.get_object().size()));
  if (measured.is_string()) return Held(value(CodePoints(measured.get_string())));
  return NoOverload();
}

Result<Held> IntArithmetic(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case '+': overflows = __builtin_add_overflow(a, b, &result); break;
    case '-': overflows = __builtin_sub_overflow(a, b, &result); break;
    case '*': overflows = __builtin_mul_overflow(a, b, &result); break;
    default:
      if (b == 0) return Failed(op == '/' ? "division by zero" : "modulus by zero");
      overflows = b == -1 && a == std::numeric_limits<std::int64_t>::min();
      if (!overflows) result = op == '/' ? a / b : a % b;
  }
  if (overflows) return Failed("integer overflow");
  return Held(value(result));
}

Result<Held> Arithmetic(char op, const value& a, const value& b) {
  if (a.is_int64() && b.is_int64()) return IntArithmetic(op, a.get_int64(), b.get_int64());
  if (a.is_double() && b.is_double() && op != '%') {
    const double x = a.get_double();
    const double y = b.get_double();
    return Held(value(op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y));
  }
  if (op == '+' && a.is_string() && b.is_string()) {
    return Held(value(std::string(a.get_string()) + std::string(b.get_string())));
  }
  if (op == '+' && a.is_array() && b.is_array()) {
    boost::json::array joined = a.get_array();
    joined.insert(joined.end(), b.get_array().begin(), b.get_array().end());
    return Held(value(std::move(joined)));
  }
  return NoOverload();
}

// Negative, zero or positive; nothing where there is no order.
std::optional<int> Order(const value& a, const value& b) {
  const auto of = [](auto x, auto y) { return x < y ? -1 : (y < x ? 1 : 0); };
  if (a.is_int64() && b.is_int64()) return of(a.get_int64(), b.get_int64());
  if (IsNumber(a) && IsNumber(b)) return of(AsDouble(a), AsDouble(b));
  if (a.is_string() && b.is_string()) {
    return of(std::string_view(a.get_string()), std::string_view(b.get_string()));
  }
  if (a.is_bool() && b.is_bool()) return of(a.get_bool(), b.get_bool());
  return std::nullopt;
}

Result<Held> Compare(std::string_view op, const value& a, const value& b) {
  const auto order = Order(a, b);
  if (!order) return NoOverload();
  if (op == "<") return Held(value(*order < 0));
  if (op == "<=") return Held(value(*order <= 0));
  if (op == ">") return Held(value(*order > 0));
  return Held(value(*order >= 0));
}

Result<Held> IsIn(const value& sought, const value& where) {
  if (const auto* items = where.if_array()) {
    return Held(value(std::any_of(items->begin(), items->end(),
                                  [&](const value& item) { return AreEqual(item, sought); })));
  }
  if (!where.is_object()) return NoOverload();
  return Held(value(sought.is_string() && where.get_object().contains(sought.get_string())));
}

std::string Mapped(std::string_view text, bool (*belongs)(char), int shift) {
  std::string mapped(text);
  for (char& letter : mapped) {
    if (belongs(letter)) letter = static_cast<char>(letter + shift);
  }
  return mapped;
}

class Evaluator {
 public:
  Evaluator(const CelPatterns& patterns, std::span<const CelBinding> bindings)
      : patterns_(patterns), scope_(bindings.begin(), bindings.end()) {}

  Result<Held> Run(const CelNode& node) {
    if (++steps_ > kMaxSteps) {
      return Failed("operation cancelled: actual cost limit exceeded");
    }
    switch (node.kind) {
      case CelNode::Kind::kLiteral: return Held(&node.literal);
      case CelNode::Kind::kVariable: return Variable(node);
      case CelNode::Kind::kMember: return Member(node);
      case CelNode::Kind::kHas: return Has(node);
      case CelNode::Kind::kIndex: return Index(node);
      case CelNode::Kind::kCall: return Call(node);
      case CelNode::Kind::kList: return List(node);
      case CelNode::Kind::kOr: return Decide(node, true);
      case CelNode::Kind::kAnd: return Decide(node, false);
      case CelNode::Kind::kNot: return Not(node);
      case CelNode::Kind::kNegate: return Negate(node);
      case CelNode::Kind::kBinary: return Binary(node);
      case CelNode::Kind::kChoose: return Choose(node);
      case CelNode::Kind::kMacro: return Macro(node);
    }
    return NoOverload();
  }

 private:
  Result<Held> Variable(const CelNode& node) const {
    const auto found = std::find_if(scope_.rbegin(), scope_.rend(),
                                    [&](const auto& entry) { return entry.name == node.text; });
    if (found == scope_.rend() || found->value == nullptr) {
      return Failed("no such attribute(s): " + node.text);
    }
    return Held(found->value);
  }

  // What is borrowed stays borrowed; a part of what was computed is copied out of it.
  static Held PartOf(const Held& whole, const value& part) {
    return whole.is_borrowed() ? Held(&part) : Held(value(part));
  }

  Result<Held> Member(const CelNode& node) {
    auto base = Run(node.children[0]);
    if (!base) return base;
    const auto* members = base->get().if_object();
    if (members == nullptr) return NoOverload();
    const auto* member = members->if_contains(node.text);
    if (member == nullptr) return Failed("no such key: " + node.text);
    return PartOf(*base, *member);
  }

  Result<Held> Has(const CelNode& node) {
    auto base = Run(node.children[0]);
    if (!base) return base;
    const auto* members = base->get().if_object();
    if (members == nullptr) return NoOverload();
    return Held(value(members->contains(node.text)));
  }

  Result<Held> Index(const CelNode& node) {
    auto base = Run(node.children[0]);
    if (!base) return base;
    auto index = Run(node.children[1]);
    if (!index) return index;
    const value& key = index->get();
    if (const auto* items = base->get().if_array(); items != nullptr && key.is_int64()) {
      const std::int64_t place = key.get_int64();
      if (place < 0 || static_cast<std::size_t>(place) >= items->size()) {
        return Failed("index out of bounds: " + std::to_string(place));
      }
      return PartOf(*base, (*items)[static_cast<std::size_t>(place)]);
    }
    const auto* members = base->get().if_object();
    if (members == nullptr || !key.is_string()) return NoOverload();
    const auto* member = members->if_contains(key.get_string());
    if (member == nullptr) return Failed("no such key: " + std::string(key.get_string()));
    return PartOf(*base, *member);
  }

  Result<Held> List(const CelNode& node) {
    boost::json::array items;
    for (const auto& child : node.children) {
      auto item = Run(child);
      if (!item) return item;
      items.push_back(item->get());
    }
    return Held(value(std::move(items)));
  }

  // One child that is `deciding` decides, whatever became of the others.
  Result<Held> Decide(const CelNode& node, bool deciding) {
    std::optional<Error> first_error;
    for (const auto& child : node.children) {
      auto outcome = Run(child);
      if (outcome && !outcome->get().is_bool()) outcome = NoOverload();
      if (outcome && outcome->get().get_bool() == deciding) return outcome;
      if (!outcome && !first_error) first_error = outcome.error();
    }
    if (first_error) return *std::move(first_error);
    return Held(value(!deciding));
  }

  Result<Held> Not(const CelNode& node) {
    auto operand = Run(node.children[0]);
    if (!operand) return operand;
    if (!operand->get().is_bool()) return NoOverload();
    return Held(value(!operand->get().get_bool()));
  }

  Result<Held> Negate(const CelNode& node) {
    auto operand = Run(node.children[0]);
    if (!operand) return operand;
    if (operand->get().is_double()) return Held(value(-operand->get().get_double()));
    if (!operand->get().is_int64()) return NoOverload();
    return IntArithmetic('-', 0, operand->get().get_int64());
  }

  Result<Held> Choose(const CelNode& node) {
    auto condition = Run(node.children[0]);
    if (!condition) return condition;
    if (!condition->get().is_bool()) return NoOverload();
    return Run(node.children[condition->get().get_bool() ? 1 : 2]);
  }

  Result<Held> Binary(const CelNode& node) {
    auto left = Run(node.children[0]);
    if (!left) return left;
    auto right = Run(node.children[1]);
    if (!right) return right;
    const value& a = left->get();
    const value& b = right->get();
    if (node.text == "==") return Held(value(AreEqual(a, b)));
    if (node.text == "!=") return Held(value(!AreEqual(a, b)));
    if (node.text == "in") return IsIn(a, b);
    if (node.text.front() == '<' || node.text.front() == '>') return Compare(node.text, a, b);
    return Arithmetic(node.text.front(), a, b);
  }

  Result<Held> Call(const CelNode& node) {
    std::vector<Held> operands;
    for (const auto& child : node.children) {
      auto operand = Run(child);
      if (!operand) return operand;
      operands.push_back(*std::move(operand));
    }
    if (node.text == "size") return SizeOf(operands[0].get());
    for (const auto& operand : operands) {
      if (!operand.get().is_string()) return NoOverload();
    }
    const std::string_view text = operands[0].get().get_string();
    if (node.text == "lowerAscii") return Held(value(Mapped(text, text::IsUpper, 'a' - 'A')));
    if (node.text == "upperAscii") return Held(value(Mapped(text, text::IsLower, 'A' - 'a')));
    const std::string_view sought = operands[1].get().get_string();
    if (node.text == "startsWith") return Held(value(text.starts_with(sought)));
    if (node.text == "endsWith") return Held(value(text.ends_with(sought)));
    if (node.text == "contains") return Held(value(text.find(sought) != std::string_view::npos));
    const auto pattern = patterns_.find(sought);
    if (pattern == patterns_.end()) return NoOverload();
    const auto found = pattern->second.IsFoundIn(text);
    if (!found) return found.error();
    return Held(value(*found));
  }

  // The elements of a list, the keys of a map.
  static Result<boost::json::array> Elements(const value& range) {
    if (range.is_array()) return range.get_array();
    if (!range.is_object()) return NoOverload();
    boost::json::array keys;
    for (const auto& member : range.get_object()) keys.emplace_back(member.key());
    return keys;
  }

  Result<Held> Macro(const CelNode& node) {
    auto range = Run(node.children[0]);
    if (!range) return range;
    const value& where = range->get();
    if (where.is_array()) return Fold(node, where.get_array());
    const auto keys = Elements(where);
    if (!keys) return keys.error();
    return Fold(node, *keys);
  }

  Result<Held> Fold(const CelNode& node, const boost::json::array& items) {
    if (node.text == "all") return Quantify(node, items, false);
    if (node.text == "exists") return Quantify(node, items, true);
    int count = 0;
    for (const auto& item : items) {
      const auto outcome = RunWith(node, item);
      if (!outcome) return outcome.error();
      if (*outcome) ++count;
    }
    return Held(value(count == 1));
  }

  Result<Held> Quantify(const CelNode& node, const boost::json::array& items, bool deciding) {
    std::optional<Error> first_error;
    for (const auto& item : items) {
      const auto outcome = RunWith(node, item);
      if (outcome && *outcome == deciding) return Held(value(deciding));
      if (!outcome && !first_error) first_error = outcome.error();
      if (steps_ > kMaxSteps) break;
    }
    if (first_error) return *std::move(first_error);
    return Held(value(!deciding));
  }

  Result<bool> RunWith(const CelNode& node, const value& item) {
    scope_.push_back({.name = node.variable, .value = &item});
    const auto outcome = Run(node.children[1]);
    scope_.pop_back();
    if (!outcome) return outcome.error();
    if (!outcome->get().is_bool()) return NoOverload();
    return outcome->get().get_bool();
  }

  const CelPatterns& patterns_;
  std::vector<CelBinding> scope_;  // the innermost last
  int steps_ = 0;
};

}  // namespace

Result<value> EvaluateCel(const CelNode& root, const CelPatterns& patterns,
                          std::span<const CelBinding> bindings) {
  auto outcome = Evaluator(patterns, bindings).Run(root);
  if (!outcome) return std::move(outcome).error();
  return outcome->get();
}

}  // namespace gs::localcluster
