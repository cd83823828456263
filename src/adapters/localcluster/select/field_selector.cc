#include "adapters/localcluster/select/field_selector.h"

#include <algorithm>
#include <utility>

namespace gs::localcluster {
namespace {

Error Refused(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }

// The parts between commas that no backslash stands before.
std::vector<std::string_view> TermsOf(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  std::sort(terms.begin(), terms.end());
  return terms;
}

Result<std::string> Unescaped(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == ',' || letter == '=') {
      return Refused("invalid field selector: unescaped character in value: " +
                     std::to_string(static_cast<int>(letter)));
    }
    if (letter == '\\') {
      ++i;
      const bool is_known =
          i < text.size() && (text[i] == '\\' || text[i] == ',' || text[i] == '=');
      if (!is_known) {
        return Refused("invalid field selector: invalid escape sequence: " +
                       std::string(text.substr(i - 1, 2)));
      }
    }
    value += text[i];
  }
  return value;
}

struct Split {
  std::string_view field;
  std::string_view op;
  std::string_view value;
};

// At the first operator; the longer ones come first.
bool SplitTerm(std::string_view term, Split& split) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    for (const std::string_view op : {"!=", "==", "="}) {
      if (!term.substr(i).starts_with(op)) continue;
      split = {term.substr(0, i), op, term.substr(i + op.size())};
      return true;
    }
  }
  return false;
}

// Kinds that name their fields one by one word a refusal differently from the rest.
Error UnknownField(const std::string& field, const SelectableFields& selectable) {
  constexpr std::string_view kWithOwnList[] = {
      "", "Pod", "Node", "ReplicationController", "Event", "Secret", "Service", "Namespace"};
  if (selectable.kind == "Job") {
    return Refused("field label \"" + field + "\" not supported for Job");
  }
  const bool has_own = std::find(std::begin(kWithOwnList), std::end(kWithOwnList),
                                 selectable.kind) != std::end(kWithOwnList);
  if (has_own) return Refused("field label not supported: " + field);
  return Refused("\"" + field +
                 "\" is not a known field selector: only \"metadata.name\", "
                 "\"metadata.namespace\"");
}

bool CanSelectBy(const std::string& field, const SelectableFields& selectable) {
  if (field == "metadata.name") return true;
  if (field == "metadata.namespace") {
    return selectable.kind != "Node" && selectable.kind != "Namespace";
  }
  return std::find(selectable.fields.begin(), selectable.fields.end(), field) !=
         selectable.fields.end();
}

}  // namespace

Result<FieldSelector> ParseFieldSelector(std::string_view text,
                                         const SelectableFields& selectable) {
  FieldSelector selector;
  for (const auto term : TermsOf(text)) {
    if (term.empty()) continue;
    Split split;
    if (!SplitTerm(term, split)) {
      return Refused("invalid selector: '" + std::string(text) + "'; can't understand '" +
                     std::string(term) + "'");
    }
    auto value = Unescaped(split.value);
    if (!value) return std::move(value).error();
    // What the first clients called it.
    const bool is_old_name = selectable.kind == "Pod" && split.field == "spec.host";
    selector.push_back({.field = std::string(is_old_name ? "spec.nodeName" : split.field),
                        .value = *std::move(value),
                        .is_negated = split.op == "!="});
  }
  for (const auto& term : selector) {
    if (!CanSelectBy(term.field, selectable)) return UnknownField(term.field, selectable);
  }
  return selector;
}

}  // namespace gs::localcluster
