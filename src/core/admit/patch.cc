#include "core/admit/patch.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::admit {
namespace {

constexpr std::array kVerbs{
    std::pair{PatchVerb::kAdd, std::string_view("add")},
    std::pair{PatchVerb::kReplace, std::string_view("replace")},
    std::pair{PatchVerb::kRemove, std::string_view("remove")},
};

struct PrintValue {
  std::ostream& out;

  void operator()(std::monostate) const {}
  template <class Value>
  void operator()(const Value& value) const {
    out << " " << value;
  }
  template <class Value>
  void operator()(const std::vector<Value>& values) const {
    for (const auto& value : values) out << " " << value;
  }
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const PatchStep& step) {
  out << text::NameOf(kVerbs, step.verb) << " " << step.path;
  std::visit(PrintValue{out}, step.value);
  return out;
}

}  // namespace gs::admit
