// Pattern: a regular expression as schemas and rules write them. An API server reads the syntax of
// RE2; what only backtracking engines offer (look-around, back references) is refused, so that a
// pattern which is accepted here is accepted there.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::localcluster {

class Pattern {
 public:
  [[nodiscard]] static Result<Pattern> Compile(std::string_view text);

  // Anywhere in the text, unless the pattern is anchored. An error if it would take too long.
  [[nodiscard]] Result<bool> IsFoundIn(std::string_view text) const;

 private:
  struct Compiled;

  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace gs::localcluster
