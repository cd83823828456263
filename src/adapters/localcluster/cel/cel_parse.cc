#include "adapters/localcluster/cel/cel_parse.h"

#include <algorithm>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/localcluster/cel/cel_scan.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using Kind = CelNode::Kind;

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxBytes = 10000;

constexpr std::string_view kReserved[] = {
    "as",       "break", "const",  "continue", "else", "false", "for",
    "function", "if",    "import", "in",       "let",  "loop",  "namespace",
    "package",  "null",  "return", "true",     "var",  "void",  "while"};

bool IsReserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

// Fields whose names are no CEL names are written in other words: x__dash__y, __namespace__.
std::string RealName(std::string_view written) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}};
  if (written.size() > 4 && written.starts_with("__") && written.ends_with("__") &&
      IsReserved(written.substr(2, written.size() - 4))) {
    return std::string(written.substr(2, written.size() - 4));
  }
  std::string name;
  while (!written.empty()) {
    const auto* escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                      [&](const auto& e) { return written.starts_with(e.first); });
    name += escape == std::end(kEscapes) ? written.substr(0, 1) : escape->second;
    written.remove_prefix(escape == std::end(kEscapes) ? 1 : escape->first.size());
  }
  return name;
}

class Parser {
 public:
  Parser(std::string_view expression, std::vector<CelToken> tokens)
      : expression_(expression), tokens_(std::move(tokens)) {}

  Result<CelNode> Run() {
    auto node = TakeChoice();
    if (node && Next().kind != CelToken::Kind::kEnd) return Unexpected();
    return node;
  }

 private:
  [[nodiscard]] const CelToken& Next() const { return tokens_[at_]; }
  [[nodiscard]] bool NextIs(std::string_view symbol) const {
    return Next().kind == CelToken::Kind::kSymbol && Next().text == symbol;
  }
  bool Take(std::string_view symbol) {
    if (!NextIs(symbol)) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] Error Unexpected() const {
    const bool is_end = Next().kind == CelToken::Kind::kEnd;
    return CelError(ErrorKind::kInvalid, expression_, Next().offset,
                    "Syntax error: mismatched input '" +
                        (is_end ? std::string("<EOF>") : std::string(Next().text)) + "'");
  }
  [[nodiscard]] Error Unsupported(std::size_t offset, const std::string& what) const {
    return CelError(ErrorKind::kUnsupported, expression_, offset, what + " is not supported");
  }

  // The tree stays so flat that walking it cannot exhaust the stack.
  Result<CelNode> Made(CelNode node) const {
    for (const auto& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kMaxDepth) {
      return CelError(ErrorKind::kInvalid, expression_, node.offset,
                      "expression recursion limit exceeded: " + std::to_string(kMaxDepth));
    }
    return node;
  }

  Result<CelNode> TakeChoice() {
    if (++nesting_ > kMaxDepth) {
      return CelError(ErrorKind::kInvalid, expression_, Next().offset,
                      "expression recursion limit exceeded: " + std::to_string(kMaxDepth));
    }
    auto choice = TakeChoiceInside();
    --nesting_;
    return choice;
  }

  Result<CelNode> TakeChoiceInside() {
    auto condition = TakeAnyOf();
    if (!condition || !NextIs("?")) return condition;
    CelNode node{.kind = Kind::kChoose, .offset = Next().offset};
    Take("?");
    if (NextIs(".")) return Unsupported(Next().offset, "an optional value");
    auto yes = TakeAnyOf();
    if (!yes) return yes;
    if (!Take(":")) return Unexpected();
    auto no = TakeChoice();
    if (!no) return no;
    node.children.push_back(*std::move(condition));
    node.children.push_back(*std::move(yes));
    node.children.push_back(*std::move(no));
    return Made(std::move(node));
  }

  Result<CelNode> TakeAnyOf() {
    return TakeChain("||", Kind::kOr, [this] {
      return TakeChain("&&", Kind::kAnd, [this] { return TakeBinary(0); });
    });
  }

  template <class TakeOperand>
  Result<CelNode> TakeChain(std::string_view symbol, Kind kind, TakeOperand take) {
    auto first = take();
    if (!first || !NextIs(symbol)) return first;
    CelNode node{.kind = kind, .offset = Next().offset};
    node.children.push_back(*std::move(first));
    while (Take(symbol)) {
      auto operand = take();
      if (!operand) return operand;
      node.children.push_back(*std::move(operand));
    }
    return Made(std::move(node));
  }

  // 0: comparisons, 1: sums, 2: products; the operators of one level are read from left to right.
  [[nodiscard]] bool NextIsOperator(int level) const {
    static const std::vector<std::string_view> kOperators[] = {
        {"==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}};
    if (level == 0 && Next().kind == CelToken::Kind::kName && Next().text == "in") return true;
    const auto& operators = kOperators[level];
    return std::any_of(operators.begin(), operators.end(),
                       [&](std::string_view symbol) { return NextIs(symbol); });
  }

  Result<CelNode> TakeBinary(int level) {
    if (level == 3) return TakeUnary();
    auto left = TakeBinary(level + 1);
    while (left && NextIsOperator(level)) {
      CelNode node{
          .kind = Kind::kBinary, .offset = Next().offset, .text = std::string(Next().text)};
      ++at_;
      auto right = TakeBinary(level + 1);
      if (!right) return right;
      node.children.push_back(*std::move(left));
      node.children.push_back(*std::move(right));
      left = Made(std::move(node));
    }
    return left;
  }

  Result<CelNode> TakeUnary() {
    const std::size_t offset = Next().offset;
    const std::string_view symbol = NextIs("!") ? "!" : NextIs("-") ? "-" : "";
    if (symbol.empty()) return TakeMembers();
    bool is_odd = false;
    while (Take(symbol)) is_odd = !is_odd;
    auto operand = TakeMembers();
    if (!operand) return operand;
    CelNode node{.kind = symbol == "!" ? Kind::kNot : Kind::kNegate, .offset = offset};
    node.children.push_back(*std::move(operand));
    if (is_odd) return Made(std::move(node));
    // Twice is not at all, but the operand still has to be one for which it makes sense.
    CelNode outer{.kind = node.kind, .offset = offset};
    outer.children.push_back(std::move(node));
    return Made(std::move(outer));
  }

  Result<CelNode> TakeMembers() {
    auto node = TakePrimary();
    while (node) {
      const std::size_t offset = Next().offset;
      if (Take("[")) {
        if (NextIs("?")) return Unsupported(offset, "an optional element");
        auto index = TakeChoice();
        if (!index) return index;
        if (!Take("]")) return Unexpected();
        CelNode element{.kind = Kind::kIndex, .offset = offset};
        element.children.push_back(*std::move(node));
        element.children.push_back(*std::move(index));
        node = Made(std::move(element));
      } else if (Take(".")) {
        node = TakeMember(*std::move(node), offset);
      } else {
        return node;
      }
    }
    return node;
  }

  Result<CelNode> TakeMember(CelNode base, std::size_t offset) {
    if (NextIs("?")) return Unsupported(offset, "an optional field");
    if (Next().kind != CelToken::Kind::kName) return Unexpected();
    const std::string name(Next().text);
    ++at_;
    if (NextIs("(")) return TakeMethod(std::move(base), name, offset);
    CelNode member{.kind = Kind::kMember, .offset = offset, .text = RealName(name)};
    member.children.push_back(std::move(base));
    return Made(std::move(member));
  }

  Result<CelNode> TakeMethod(CelNode base, const std::string& name, std::size_t offset) {
    auto arguments = TakeArguments(")");
    if (!arguments) return std::move(arguments).error();
    const bool is_macro = name == "all" || name == "exists" || name == "exists_one";
    if (is_macro && arguments->size() == 2) {
      return Macro(std::move(base), name, *std::move(arguments), offset);
    }
    CelNode call{.kind = Kind::kCall, .offset = offset, .text = name, .is_method = true};
    call.children.push_back(std::move(base));
    for (auto& argument : *arguments) call.children.push_back(std::move(argument));
    return Made(std::move(call));
  }

  Result<CelNode> Macro(CelNode base, const std::string& name, std::vector<CelNode> arguments,
                        std::size_t offset) {
    if (arguments[0].kind != Kind::kVariable) {
      return CelError(ErrorKind::kInvalid, expression_, arguments[0].offset,
                      "argument must be a simple name");
    }
    CelNode macro{
        .kind = Kind::kMacro, .offset = offset, .text = name, .variable = arguments[0].text};
    macro.children.push_back(std::move(base));
    macro.children.push_back(std::move(arguments[1]));
    return Made(std::move(macro));
  }

  // From the opening symbol to the closing one.
  Result<std::vector<CelNode>> TakeArguments(std::string_view closing) {
    std::vector<CelNode> arguments;
    ++at_;
    if (Take(closing)) return arguments;
    do {
      auto argument = TakeChoice();
      if (!argument) return std::move(argument).error();
      arguments.push_back(*std::move(argument));
    } while (Take(","));
    if (!Take(closing)) return Unexpected();
    return arguments;
  }

  Result<CelNode> TakePrimary() {
    const CelToken token = Next();
    if (token.kind == CelToken::Kind::kLiteral) {
      ++at_;
      return CelNode{.kind = Kind::kLiteral, .offset = token.offset, .literal = token.literal};
    }
    if (token.kind == CelToken::Kind::kName) return TakeName(token);
    if (NextIs("[")) {
      auto items = TakeArguments("]");
      if (!items) return std::move(items).error();
      return Made({.kind = Kind::kList, .offset = token.offset, .children = *std::move(items)});
    }
    if (!Take("(")) return Unexpected();
    auto inner = TakeChoice();
    if (inner && !Take(")")) return Unexpected();
    return inner;
  }

  Result<CelNode> TakeName(const CelToken& token) {
    const std::string name(token.text);
    ++at_;
    if (IsReserved(name)) {
      return CelError(ErrorKind::kInvalid, expression_, token.offset,
                      "reserved identifier: " + name);
    }
    if (!NextIs("(")) {
      return CelNode{.kind = Kind::kVariable, .offset = token.offset, .text = name};
    }
    auto arguments = TakeArguments(")");
    if (!arguments) return std::move(arguments).error();
    if (name == "has") return Has(*std::move(arguments), token.offset);
    return Made({.kind = Kind::kCall,
                 .offset = token.offset,
                 .text = name,
                 .children = *std::move(arguments)});
  }

  Result<CelNode> Has(std::vector<CelNode> arguments, std::size_t offset) {
    if (arguments.size() != 1 || arguments[0].kind != Kind::kMember) {
      return CelError(ErrorKind::kInvalid, expression_, offset, "invalid argument to has() macro");
    }
    CelNode node = std::move(arguments[0]);
    node.kind = Kind::kHas;
    return node;
  }

  std::string_view expression_;
  std::vector<CelToken> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Error CelError(ErrorKind kind, std::string_view expression, std::size_t offset,
               std::string_view message) {
  const TextPlace place = json::PlaceAt(expression, offset);
  const auto lines = text::Split(expression, '\n');
  const auto line = lines[static_cast<std::size_t>(place.line) - 1];
  return {kind, "compilation failed: ERROR: <input>:" + std::to_string(place.line) + ":" +
                    std::to_string(place.column) + ": " + std::string(message) + "\n | " +
                    std::string(line) + "\n | " +
                    std::string(static_cast<std::size_t>(place.column) - 1, '.') + "^"};
}

Result<CelNode> ParseCel(std::string_view expression) {
  if (expression.size() > kMaxBytes) {
    return Error(ErrorKind::kInvalid, "compilation failed: the expression has " +
                                          std::to_string(expression.size()) + " bytes; at most " +
                                          std::to_string(kMaxBytes) + " are read");
  }
  auto tokens = ScanCel(expression);
  if (!tokens) return std::move(tokens).error();
  return Parser(expression, *std::move(tokens)).Run();
}

}  // namespace gs::localcluster
