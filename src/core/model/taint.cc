#include "core/model/taint.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kEffects{
    std::pair{TaintEffect::kNoSchedule, std::string_view("NoSchedule")},
    std::pair{TaintEffect::kPreferNoSchedule, std::string_view("PreferNoSchedule")},
    std::pair{TaintEffect::kNoExecute, std::string_view("NoExecute")},
};

}  // namespace

std::string_view ToString(TaintEffect effect) { return text::NameOf(kEffects, effect); }

std::optional<TaintEffect> ParseTaintEffect(std::string_view text) {
  return text::ValueOf(kEffects, text);
}

std::string ToString(const Taint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  return taint.key + value + ":" + std::string(ToString(taint.effect));
}

std::ostream& operator<<(std::ostream& out, const Taint& taint) { return out << ToString(taint); }

}  // namespace gs::model
