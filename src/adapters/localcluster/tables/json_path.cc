#include "adapters/localcluster/tables/json_path.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "base/parse.h"
#include "base/text.h"

namespace gs::localcluster {

using boost::json::value;

// Reads one step after the other from the front of the text.
class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : all_(text), rest_(text) {}

  Result<std::vector<Step>> Run() {
    std::vector<Step> steps;
    if (rest_ == ".") return steps;
    while (!rest_.empty()) {
      auto step = rest_.front() == '.' ? TakeField() : TakeBrackets();
      if (!step) return Refused();
      steps.push_back(*std::move(step));
    }
    if (steps.empty()) return Refused();
    return steps;
  }

 private:
  [[nodiscard]] Error Refused() const {
    return {ErrorKind::kInvalid, "unrecognized column definition \"" + std::string(all_) + "\""};
  }

  std::optional<Step> TakeField() {
    rest_.remove_prefix(1);
    Step step;
    std::size_t size = 0;
    for (; size < rest_.size() && rest_[size] != '.' && rest_[size] != '['; ++size) {
      if (rest_[size] == ']') return std::nullopt;
      if (rest_[size] == '\\' && ++size == rest_.size()) return std::nullopt;
      step.name += rest_[size];
    }
    rest_.remove_prefix(size);
    // ".[0]" is "[0]".
    if (step.name.empty()) return rest_.starts_with('[') ? TakeBrackets() : std::nullopt;
    if (step.name == "*") step.kind = Step::Kind::kAll;
    return step;
  }

  std::optional<Step> TakeBrackets() {
    if (!rest_.starts_with('[')) return std::nullopt;
    const bool is_filter = rest_.starts_with("[?(");
    const std::string_view closing = is_filter ? ")]" : "]";
    const auto end = rest_.find(closing);
    if (end == std::string_view::npos) return std::nullopt;
    const auto inner = text::Trim(rest_.substr(is_filter ? 3 : 1, end - (is_filter ? 3 : 1)));
    rest_.remove_prefix(end + closing.size());
    if (is_filter) return Filter(inner);
    if (inner == "*") return Step{.kind = Step::Kind::kAll};
    if (const auto name = Unquoted(inner)) return Step{.name = std::string(*name)};
    const auto index = ParseInt64(inner);
    if (!index) return std::nullopt;
    return Step{.kind = Step::Kind::kIndex, .index = *index};
  }

  static std::optional<std::string_view> Unquoted(std::string_view word) {
    const bool is_quoted = word.size() >= 2 && word.front() == word.back() &&
                           (word.front() == '\'' || word.front() == '"');
    if (!is_quoted) return std::nullopt;
    return word.substr(1, word.size() - 2);
  }

  // @.type=="Ready"
  static std::optional<Step> Filter(std::string_view condition) {
    const auto operator_at = condition.find("==");
    if (operator_at == std::string_view::npos || !condition.starts_with("@.")) return std::nullopt;
    Step step{.kind = Step::Kind::kFilter};
    for (const auto name : text::Split(text::Trim(condition.substr(2, operator_at - 2)), '.')) {
      if (name.empty() || name.find('[') != std::string_view::npos) return std::nullopt;
      step.path.emplace_back(name);
    }
    const auto wanted = text::Trim(condition.substr(operator_at + 2));
    if (const auto word = Unquoted(wanted)) {
      step.wanted = boost::json::serialize(value(*word));
    } else if (wanted == "true" || wanted == "false" || ParseInt64(wanted)) {
      step.wanted = wanted;
    } else {
      return std::nullopt;
    }
    return step;
  }

  std::string_view all_;
  std::string_view rest_;
};

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  auto steps = Parser(text).Run();
  if (!steps) return std::move(steps).error();
  JsonPath path;
  path.steps_ = *std::move(steps);
  return path;
}

bool JsonPath::Accepts(const Step& filter, const value& item) {
  const value* found = &item;
  for (const auto& name : filter.path) {
    found = found->is_object() ? found->get_object().if_contains(name) : nullptr;
    if (found == nullptr) return false;
  }
  return boost::json::serialize(*found) == filter.wanted;
}

namespace {

// From the end where it is negative; null where there is none.
const value* ItemAt(const boost::json::array& items, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t place = index < 0 ? index + size : index;
  return place < 0 || place >= size ? nullptr : &items[static_cast<std::size_t>(place)];
}

}  // namespace

const value* JsonPath::FindFirst(const value& object) const { return Follow(object, 0); }

const value* JsonPath::Follow(const value& found, std::size_t at) const {
  if (at == steps_.size()) return &found;
  const Step& step = steps_[at];
  if (step.kind == Step::Kind::kField) {
    const auto* member = found.is_object() ? found.get_object().if_contains(step.name) : nullptr;
    return member == nullptr ? nullptr : Follow(*member, at + 1);
  }
  if (step.kind == Step::Kind::kAll && found.is_object()) {
    for (const auto& member : found.get_object()) {
      if (const auto* result = Follow(member.value(), at + 1)) return result;
    }
    return nullptr;
  }
  const auto* items = found.if_array();
  if (items == nullptr) return nullptr;
  if (step.kind == Step::Kind::kIndex) {
    const auto* item = ItemAt(*items, step.index);
    return item == nullptr ? nullptr : Follow(*item, at + 1);
  }
  for (const auto& item : *items) {
    if (step.kind == Step::Kind::kFilter && !Accepts(step, item)) continue;
    if (const auto* result = Follow(item, at + 1)) return result;
  }
  return nullptr;
}

}  // namespace gs::localcluster
