#include "core/model/toleration.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kOperators{
    std::pair{TolerationOperator::kEqual, std::string_view("Equal")},
    std::pair{TolerationOperator::kExists, std::string_view("Exists")},
};

}  // namespace

std::string_view ToString(TolerationOperator op) { return text::NameOf(kOperators, op); }

std::optional<TolerationOperator> ParseTolerationOperator(std::string_view text) {
  return text::ValueOf(kOperators, text);
}

std::string ToString(const Toleration& toleration) {
  std::string text = toleration.key.empty() ? "any taint" : toleration.key;
  text.append(" ").append(ToString(toleration.op));
  if (!toleration.value.empty()) text += " " + toleration.value;
  if (toleration.effect) text.append(", ").append(ToString(*toleration.effect));
  return text;
}

std::ostream& operator<<(std::ostream& out, const Toleration& toleration) {
  return out << ToString(toleration);
}

}  // namespace gs::model
