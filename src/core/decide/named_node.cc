#include "core/decide/named_node.h"

#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "core/model/names.h"

namespace gs::decide {
namespace {

using model::Reason;
using model::ReasonToken;

std::vector<NodeName> NodesLabelled(std::string_view label, const NodeName& word,
                                    const cache::Cache& cache) {
  std::vector<NodeName> found;
  for (const auto& [name, view] : cache.nodes()) {
    const std::string* value = view.node.labels.Find(label);
    if (view.is_known && value != nullptr && *value == word.text()) found.push_back(name);
  }
  return found;
}

}  // namespace

std::variant<NodeName, Reason> NamedNode(const NodeName& word, const cache::Cache& cache) {
  const cache::NodeView* view = cache.FindNode(word);
  if (view != nullptr && view->is_known) return word;
  for (const auto label : {model::names::kMapNodeNameLabel, model::names::kMapNodeLabel}) {
    const std::vector<NodeName> found = NodesLabelled(label, word, cache);
    if (found.size() == 1) return found.front();
    if (found.empty()) continue;
    const auto name_of = [](const NodeName& name) { return name.text(); };
    return Reason{ReasonToken::kNodeAmbiguous, "the map says " + word.text() +
                                                   ", and several nodes are labelled " +
                                                   std::string(label) + "=" + word.text() + ": " +
                                                   text::Join(found, ", ", name_of)};
  }
  return Reason{ReasonToken::kNodeMissing,
                "the map says " + word.text() + ", and no node has that name or the label " +
                    std::string(model::names::kMapNodeNameLabel) + "=" + word.text()};
}

}  // namespace gs::decide
