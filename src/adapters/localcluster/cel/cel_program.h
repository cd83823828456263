// CelProgram: a rule of a custom resource's schema or a condition of a webhook, checked once and
// run often. A small part of the Common Expression Language: comparison, logic, arithmetic, fields,
// elements, has, in, size, all, exists, exists_one, the ternary, and a few functions
// on text. Everything else is refused when it is compiled, in the form of an API server: nothing is
// ever silently true.
//
// As in CEL, what goes wrong while it runs ("no such key: x") is an error, unless the other side of
// && or || decides.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/cel/cel_type.h"
#include "base/result.h"

namespace gs::localcluster {

struct CelVariable {
  std::string name;
  CelTypePtr type = CelType::Of(CelType::Kind::kDyn);
};

struct CelBinding {
  std::string_view name;
  const boost::json::value* value;  // null for a variable without a value: its use is an error
};

class CelProgram {
 public:
  // kInvalid: the expression is wrong; kUnsupported: it uses what is not offered here.
  [[nodiscard]] static Result<CelProgram> Compile(std::string_view expression,
                                                  const std::vector<CelVariable>& variables,
                                                  CelType::Kind wanted = CelType::Kind::kBool);

  // From any thread. Requires: compiled for a bool, for a text.
  [[nodiscard]] Result<bool> IsTrue(std::span<const CelBinding> bindings) const;
  [[nodiscard]] Result<std::string> Text(std::span<const CelBinding> bindings) const;

  [[nodiscard]] bool Uses(std::string_view variable) const;

 private:
  struct Compiled;

  explicit CelProgram(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace gs::localcluster
