#include "adapters/localcluster/cel/cel_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/localcluster/cel/cel_parse.h"
#include "adapters/localcluster/pattern/pattern.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using Kind = CelType::Kind;
using Types = std::vector<CelTypePtr>;

bool IsNumber(Kind kind) { return kind == Kind::kInt || kind == Kind::kDouble; }
bool IsDyn(const CelTypePtr& type) { return type->kind == Kind::kDyn; }
bool IsOrDyn(const CelTypePtr& type, Kind kind) { return IsDyn(type) || type->kind == kind; }

CelTypePtr TypeOfLiteral(const boost::json::value& literal) {
  switch (literal.kind()) {
    case boost::json::kind::bool_: return CelType::Of(Kind::kBool);
    case boost::json::kind::string: return CelType::Of(Kind::kString);
    case boost::json::kind::double_: return CelType::Of(Kind::kDouble);
    case boost::json::kind::null: return CelType::Of(Kind::kNull);
    default: return CelType::Of(Kind::kInt);
  }
}

// Methods on text, with how many arguments they take and what they give.
struct TextMethod {
  std::string_view name;
  std::size_t arguments;
  Kind gives;
};

constexpr TextMethod kTextMethods[] = {
    {"startsWith", 1, Kind::kBool},   {"endsWith", 1, Kind::kBool},
    {"contains", 1, Kind::kBool},     {"matches", 1, Kind::kBool},
    {"lowerAscii", 0, Kind::kString}, {"upperAscii", 0, Kind::kString}};

class Checker {
 public:
  Checker(std::string_view expression, std::vector<CelVariable> variables)
      : expression_(expression), scope_(std::move(variables)) {}

  Result<CelTypePtr> Check(const CelNode& node) {
    switch (node.kind) {
      case CelNode::Kind::kLiteral: return TypeOfLiteral(node.literal);
      case CelNode::Kind::kVariable: return CheckVariable(node);
      case CelNode::Kind::kMacro: return CheckMacro(node);
      default: break;
    }
    Types operands;
    for (const auto& child : node.children) {
      auto type = Check(child);
      if (!type) return type;
      operands.push_back(*std::move(type));
    }
    return CheckOperation(node, operands);
  }

 private:
  [[nodiscard]] Error Wrong(const CelNode& node, const std::string& message) const {
    return CelError(ErrorKind::kInvalid, expression_, node.offset, message);
  }
  [[nodiscard]] Error NoOverload(const CelNode& node, const std::string& name,
                                 const Types& operands) const {
    return Wrong(node, "found no matching overload for '" + name + "' applied to '(" +
                           text::Join(operands, ", ",
                                      [](const CelTypePtr& type) { return ToString(*type); }) +
                           ")'");
  }

  Result<CelTypePtr> CheckVariable(const CelNode& node) const {
    const auto found = std::find_if(scope_.rbegin(), scope_.rend(),
                                    [&](const auto& entry) { return entry.name == node.text; });
    if (found != scope_.rend()) return found->type;
    return Wrong(node, "undeclared reference to '" + node.text + "' (in container '')");
  }

  Result<CelTypePtr> CheckOperation(const CelNode& node, const Types& operands) const {
    switch (node.kind) {
      case CelNode::Kind::kMember: return CheckMember(node, operands[0]);
      case CelNode::Kind::kHas: {
        auto member = CheckMember(node, operands[0]);
        if (!member) return member;
        return CelType::Of(Kind::kBool);
      }
      case CelNode::Kind::kIndex: return CheckIndex(node, operands);
      case CelNode::Kind::kCall: return CheckCall(node, operands);
      case CelNode::Kind::kList: return CheckList(operands);
      case CelNode::Kind::kOr: return CheckLogic(node, "_||_", operands);
      case CelNode::Kind::kAnd: return CheckLogic(node, "_&&_", operands);
      case CelNode::Kind::kNot: return CheckLogic(node, "!_", operands);
      case CelNode::Kind::kNegate:
        if (IsDyn(operands[0]) || IsNumber(operands[0]->kind)) return operands[0];
        return NoOverload(node, "-_", operands);
      case CelNode::Kind::kChoose:
        if (!IsOrDyn(operands[0], Kind::kBool) || !CanBe(*operands[1], *operands[2])) {
          return NoOverload(node, "_?_:_", operands);
        }
        return IsDyn(operands[1]) ? operands[2] : operands[1];
      default: return CheckBinary(node, operands);
    }
  }

  Result<CelTypePtr> CheckMember(const CelNode& node, const CelTypePtr& base) const {
    if (IsDyn(base)) return base;
    if (base->kind == Kind::kMap) return base->element;
    if (base->kind != Kind::kObject) {
      return Wrong(node, "type '" + ToString(*base) + "' does not support field selection");
    }
    const auto field = base->fields.find(node.text);
    if (field != base->fields.end()) return field->second;
    return Wrong(node, "undefined field '" + node.text + "'");
  }

  Result<CelTypePtr> CheckIndex(const CelNode& node, const Types& operands) const {
    const auto& [base, index] = std::pair(operands[0], operands[1]);
    if (IsDyn(base)) return base;
    if (base->kind == Kind::kList && IsOrDyn(index, Kind::kInt)) return base->element;
    if (base->kind == Kind::kMap && IsOrDyn(index, Kind::kString)) return base->element;
    return NoOverload(node, "_[_]", operands);
  }

  static Result<CelTypePtr> CheckList(const Types& operands) {
    CelTypePtr element = operands.empty() ? CelType::Of(Kind::kDyn) : operands[0];
    for (const auto& operand : operands) {
      if (operand->kind != element->kind) element = CelType::Of(Kind::kDyn);
    }
    return CelType::ListOf(std::move(element));
  }

  Result<CelTypePtr> CheckLogic(const CelNode& node, const std::string& name,
                                const Types& operands) const {
    const bool fits = std::all_of(operands.begin(), operands.end(), [](const auto& operand) {
      return IsOrDyn(operand, Kind::kBool);
    });
    if (!fits) return NoOverload(node, name, operands);
    return CelType::Of(Kind::kBool);
  }

  Result<CelTypePtr> CheckBinary(const CelNode& node, const Types& operands) const {
    const auto& a = operands[0];
    const auto& b = operands[1];
    const std::string& op = node.text;
    bool fits = false;
    if (op == "in") {
      const bool is_listed = b->kind == Kind::kList && CanBe(*a, *b->element);
      fits = IsDyn(b) || is_listed || (b->kind == Kind::kMap && IsOrDyn(a, Kind::kString));
    } else if (op == "==" || op == "!=") {
      fits = CanBe(*a, *b);
    } else if (op.starts_with('<') || op.starts_with('>')) {
      fits = IsOrdered(*a) && IsOrdered(*b) &&
             (CanBe(*a, *b) || (IsNumber(a->kind) && IsNumber(b->kind)));
    } else {
      return CheckArithmetic(node, operands);
    }
    if (!fits) return NoOverload(node, op == "in" ? "@in" : "_" + op + "_", operands);
    return CelType::Of(Kind::kBool);
  }

  static bool IsOrdered(const CelType& type) {
    return type.kind == Kind::kDyn || type.kind == Kind::kString || type.kind == Kind::kBool ||
           IsNumber(type.kind);
  }

  Result<CelTypePtr> CheckArithmetic(const CelNode& node, const Types& operands) const {
    const CelTypePtr& known = IsDyn(operands[0]) ? operands[1] : operands[0];
    const Kind kind = known->kind;
    bool fits = kind == Kind::kDyn || kind == Kind::kInt;
    fits = fits || (kind == Kind::kDouble && node.text != "%");
    fits = fits || (node.text == "+" && (kind == Kind::kString || kind == Kind::kList));
    if (!fits || !CanBe(*operands[0], *operands[1])) {
      return NoOverload(node, "_" + node.text + "_", operands);
    }
    return known;
  }

  Result<CelTypePtr> CheckCall(const CelNode& node, const Types& operands) const {
    if (node.text == "size" && operands.size() == 1) return CheckSize(node, operands);
    const auto* method =
        std::find_if(std::begin(kTextMethods), std::end(kTextMethods),
                     [&](const TextMethod& known) { return known.name == node.text; });
    if (method == std::end(kTextMethods) || !node.is_method) {
      return CelError(ErrorKind::kUnsupported, expression_, node.offset,
                      "undeclared reference to '" + node.text + "' (in container '')");
    }
    const bool fits = operands.size() == method->arguments + 1 &&
                      std::all_of(operands.begin(), operands.end(), [](const auto& operand) {
                        return IsOrDyn(operand, Kind::kString);
                      });
    if (!fits) return NoOverload(node, node.text, operands);
    if (node.text == "matches") {
      if (auto checked = CheckPattern(node); !checked) return std::move(checked).error();
    }
    return CelType::Of(method->gives);
  }

  Result<CelTypePtr> CheckSize(const CelNode& node, const Types& operands) const {
    const Kind kind = operands[0]->kind;
    const bool fits =
        kind == Kind::kDyn || kind == Kind::kString || kind == Kind::kList || kind == Kind::kMap;
    if (!fits) return NoOverload(node, "size", operands);
    return CelType::Of(Kind::kInt);
  }

  // A pattern that is not written down could fail only when an object comes.
  Result<void> CheckPattern(const CelNode& node) const {
    const CelNode& pattern = node.children[1];
    if (!pattern.literal.is_string()) {
      return CelError(ErrorKind::kUnsupported, expression_, pattern.offset,
                      "a pattern that is not a literal is not supported");
    }
    const auto compiled = Pattern::Compile(std::string_view(pattern.literal.get_string()));
    if (!compiled) return Wrong(pattern, compiled.error().message());
    return {};
  }

  Result<CelTypePtr> CheckMacro(const CelNode& node) {
    auto range = Check(node.children[0]);
    if (!range) return range;
    const CelTypePtr type = *range;
    const bool is_map = type->kind == Kind::kMap;
    if (!IsDyn(type) && !is_map && type->kind != Kind::kList) {
      return Wrong(node,
                   "expression of type '" + ToString(*type) +
                       "' cannot be range of a comprehension (must be list, map, or dynamic)");
    }
    const CelTypePtr element = IsDyn(type) ? type
                               : is_map    ? CelType::Of(Kind::kString)
                                           : type->element;
    scope_.push_back({.name = node.variable, .type = element});
    auto body = Check(node.children[1]);
    scope_.pop_back();
    if (!body) return body;
    if (!IsOrDyn(*body, Kind::kBool)) return NoOverload(node, "_&&_", {*body});
    return CelType::Of(Kind::kBool);
  }

  std::string_view expression_;
  std::vector<CelVariable> scope_;  // the innermost last
};

}  // namespace

Result<CelTypePtr> CheckCel(std::string_view expression, const CelNode& root,
                            const std::vector<CelVariable>& variables) {
  return Checker(expression, variables).Check(root);
}

}  // namespace gs::localcluster
