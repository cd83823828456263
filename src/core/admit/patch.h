// Patch: changes to a pod as JSON Patch (RFC 6902) has them, one after the other, with values
// instead of text.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "core/admit/review.h"
#include "core/model/toleration.h"

namespace gs::admit {

enum class PatchVerb : std::uint8_t { kAdd, kReplace, kRemove };

// A list stands for a whole field, a single value for an element of it.
using PatchValue = std::variant<std::monostate, EnvVariable, std::vector<EnvVariable>,
                                model::Toleration, std::vector<model::Toleration>>;

struct PatchStep {
  PatchVerb verb = PatchVerb::kAdd;
  std::string path;  // "/spec/containers/0/env/2"
  PatchValue value;  // nothing where something is removed

  friend bool operator==(const PatchStep&, const PatchStep&) = default;
};

using Patch = std::vector<PatchStep>;

// "add /spec/containers/0/env/0 CUDA_VISIBLE_DEVICES="
std::ostream& operator<<(std::ostream& out, const PatchStep& step);

}  // namespace gs::admit
