#include "adapters/kube/objects/decode_object.h"

#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"

namespace gs::kube {
namespace {

// Names come from outside and end in a log line.
std::string Printable(const std::string& name) {
  const std::string quoted = json::Quoted(name);
  return quoted == '"' + name + '"' ? name : quoted;
}

}  // namespace

std::string TitleOf(std::string_view what, const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  const std::string ns = metadata.Field("namespace").Text();
  const std::string name = metadata.Field("name").Text();
  std::string title(what);
  if (!name.empty()) title += " " + (ns.empty() ? "" : Printable(ns) + "/") + Printable(name);
  return title;
}

model::Labels ReadLabels(const JsonView& labels) {
  const auto members = labels.Members();
  std::vector<model::Labels::value_type> entries;
  entries.reserve(members.size());
  for (const auto& [name, value] : members) entries.emplace_back(name, value.Word());
  return model::Labels(std::move(entries));
}

}  // namespace gs::kube
