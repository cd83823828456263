#include "adapters/localcluster/cel/cel_program.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "adapters/localcluster/cel/cel_check.h"
#include "adapters/localcluster/cel/cel_evaluate.h"
#include "adapters/localcluster/cel/cel_parse.h"

namespace gs::localcluster {

struct CelProgram::Compiled {
  CelNode root;
  CelPatterns patterns;
};

namespace {

// Requires: the patterns are checked.
void CollectPatterns(const CelNode& node, CelPatterns& patterns) {
  if (node.kind == CelNode::Kind::kCall && node.text == "matches") {
    const std::string text(node.children[1].literal.get_string());
    patterns.emplace(text, Pattern::Compile(text).value());
  }
  for (const auto& child : node.children) CollectPatterns(child, patterns);
}

bool UsesVariable(const CelNode& node, std::string_view name) {
  if (node.kind == CelNode::Kind::kVariable && node.text == name) return true;
  // A macro's own variable of that name hides it inside.
  if (node.kind == CelNode::Kind::kMacro && node.variable == name) {
    return UsesVariable(node.children[0], name);
  }
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const CelNode& child) { return UsesVariable(child, name); });
}

}  // namespace

Result<CelProgram> CelProgram::Compile(std::string_view expression,
                                       const std::vector<CelVariable>& variables,
                                       CelType::Kind wanted) {
  auto root = ParseCel(expression);
  if (!root) return std::move(root).error();
  const auto type = CheckCel(expression, *root, variables);
  if (!type) return type.error();
  if ((*type)->kind != wanted && (*type)->kind != CelType::Kind::kDyn) {
    return Error(ErrorKind::kInvalid, "must evaluate to " + ToString(*CelType::Of(wanted)));
  }
  auto compiled = std::make_shared<Compiled>();
  compiled->root = *std::move(root);
  CollectPatterns(compiled->root, compiled->patterns);
  return CelProgram(std::move(compiled));
}

Result<bool> CelProgram::IsTrue(std::span<const CelBinding> bindings) const {
  const auto outcome = EvaluateCel(compiled_->root, compiled_->patterns, bindings);
  if (!outcome) return outcome.error();
  if (!outcome->is_bool()) return Error(ErrorKind::kInvalid, "must evaluate to bool");
  return outcome->get_bool();
}

Result<std::string> CelProgram::Text(std::span<const CelBinding> bindings) const {
  const auto outcome = EvaluateCel(compiled_->root, compiled_->patterns, bindings);
  if (!outcome) return outcome.error();
  if (!outcome->is_string()) return Error(ErrorKind::kInvalid, "must evaluate to string");
  return std::string(outcome->get_string());
}

bool CelProgram::Uses(std::string_view variable) const {
  return UsesVariable(compiled_->root, variable);
}

}  // namespace gs::localcluster
