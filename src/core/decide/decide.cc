#include "core/decide/decide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/decide/filter/volume_claims.h"
#include "core/decide/named_node.h"

namespace gs::decide {
namespace {

using model::Reason;
using model::ReasonToken;

Decision DecideNamed(const model::Pod& pod, const Ask& ask, const NamedGpus& named,
                     const cache::Cache& cache, const PlaceContext& context) {
  auto node = NamedNode(named.node, cache);
  if (auto* reason = std::get_if<Reason>(&node)) return NoPlace{std::move(*reason), {}};
  const NodeName& name = std::get<NodeName>(node);
  auto answer = PlaceOn(*cache.FindNode(name), pod, ask, Company(pod, cache), context);
  if (auto* place = std::get_if<Place>(&answer)) {
    return Placement{name, std::move(place->allocation), std::move(place->volumes)};
  }
  Reason& reason = std::get<Reason>(answer);
  return NoPlace{reason, {{name, reason}}};
}

// The cheapest place so far, and the search for a cheaper one.
class Search {
 public:
  Search(const model::Pod& pod, const Ask& ask, const cache::Cache& cache,
         const PlaceContext& context)
      : pod_(pod), ask_(ask), cache_(cache), context_(context), company_(pod, cache) {}

  // Every node in turn; why not, of each before the first that fits.
  void Everywhere(std::vector<NodeVerdict>& verdicts) {
    for (const auto& [name, view] : cache_.nodes()) {
      if (best_ != nullptr && !(LeastCostOn(view, ask_) < fit_.cost)) continue;
      auto reason = Try(view);
      // What keeps it off some nodes is of interest only where it has no other.
      if (reason && best_ == nullptr) verdicts.push_back({name, *std::move(reason)});
    }
  }

  void InOrder(NodeOrder& order) {
    if (const auto* counted = std::get_if<CountedGpus>(&ask_.gpus)) {
      return AmongGpus(order, *counted);
    }
    for (const auto& [least, name] : order.by_room()) {
      if (best_ != nullptr && !(least < fit_.cost)) return;
      (void)Try(*cache_.FindNode(name));
    }
  }

  [[nodiscard]] const cache::NodeView* best() const { return best_; }
  [[nodiscard]] Place PlaceOnBest() { return PlaceFor(*best_, pod_, ask_, std::move(fit_)); }

 private:
  using Alike = std::pair<Cost, const std::set<NodeName>*>;

  // Where GPUs are kept for others, a node is not like those it is among.
  void AmongGpus(NodeOrder& order, const CountedGpus& asked) {
    const std::set<NodeName> apart = context_.keep.NodesWithKeptGpus();
    for (const NodeName& name : apart) {
      if (const cache::NodeView* view = cache_.FindNode(name)) (void)Try(*view);
    }
    std::vector<Alike> alike;
    for (const auto& [price, names] : order.ByPrice(asked, context_)) {
      alike.emplace_back(LeastCostAt(price, context_.weights), &names);
    }
    std::sort(alike.begin(), alike.end(),
              [](const Alike& a, const Alike& b) { return a.first < b.first; });
    for (const auto& [least, names] : alike) {
      if (best_ != nullptr && fit_.cost < least) return;
      TryInTurn(*names, least, apart);
    }
  }

  // Until no other of them can be better: none costs less than `least`, and names decide last.
  void TryInTurn(const std::set<NodeName>& names, const Cost& least,
                 const std::set<NodeName>& apart) {
    for (const NodeName& name : names) {
      if (best_ != nullptr && !IsBetter(least, name)) return;
      if (!apart.contains(name)) (void)Try(*cache_.FindNode(name));
    }
  }

  [[nodiscard]] bool IsBetter(const Cost& cost, const NodeName& name) const {
    return best_ == nullptr || cost < fit_.cost || (cost == fit_.cost && name < best_->node.name);
  }

  std::optional<Reason> Try(const cache::NodeView& view) {
    auto answer = FitOn(view, pod_, ask_, company_, context_);
    if (auto* reason = std::get_if<Reason>(&answer)) return std::move(*reason);
    Fit& fit = std::get<Fit>(answer);
    if (IsBetter(fit.cost, view.node.name)) Take(view, std::move(fit));
    return std::nullopt;
  }

  // The choice that it is of may be gone when another one has been made.
  void Take(const cache::NodeView& view, Fit fit) {
    best_ = &view;
    fit_ = std::move(fit);
    if (fit_.ids == nullptr) return;
    ids_ = *fit_.ids;
    fit_.ids = &ids_;
  }

  const model::Pod& pod_;
  const Ask& ask_;
  const cache::Cache& cache_;
  const PlaceContext& context_;
  const Company company_;
  const cache::NodeView* best_ = nullptr;
  Fit fit_;                 // there
  std::vector<GpuId> ids_;  // of it
};

// GPUs that are shared stand in another order.
bool IsOrdered(const Ask& ask) {
  const auto* counted = std::get_if<CountedGpus>(&ask.gpus);
  return counted == nullptr || counted->request.exclusivity != model::Exclusivity::kShared;
}

}  // namespace

Decision Decide(const model::Pod& pod, const Ask& ask, const cache::Cache& cache,
                const PlaceContext& context, const Shortcuts& shortcuts) {
  if (auto reason = filter::RefusedByClaims(pod, context.storage)) {
    return NoPlace{*std::move(reason), {}};
  }
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return DecideNamed(pod, ask, *named, cache, context);
  }
  Search search(pod, ask, cache, context);
  if (shortcuts.order != nullptr && IsOrdered(ask)) {
    search.InOrder(*shortcuts.order);
    if (search.best() == nullptr && shortcuts.known != nullptr) {
      return NoPlace{*shortcuts.known, {}};
    }
  }
  std::vector<NodeVerdict> verdicts;
  // Also where the order has none: it has to be said of each node why not.
  if (search.best() == nullptr) search.Everywhere(verdicts);
  if (search.best() == nullptr) return NoPlace{Summarise(verdicts), std::move(verdicts)};
  Place place = search.PlaceOnBest();
  return Placement{search.best()->node.name, std::move(place.allocation), std::move(place.volumes)};
}

Reason Summarise(const std::vector<NodeVerdict>& nodes, const NodeName* nearest) {
  if (nodes.empty()) return {ReasonToken::kNodesExcluded, "the cluster has no nodes"};
  std::map<ReasonToken, std::vector<const NodeVerdict*>> groups;
  for (const NodeVerdict& verdict : nodes) groups[verdict.reason.token].push_back(&verdict);
  std::string message = "of " + std::to_string(nodes.size()) +
                        (nodes.size() == 1 ? " node" : " nodes") + " none fits";
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const auto example = std::find_if(group->second.begin(), group->second.end(),
                                      [nearest](const NodeVerdict* each) {
                                        return nearest != nullptr && each->node == *nearest;
                                      });
    const NodeVerdict& first = example == group->second.end() ? *group->second.front() : **example;
    message += (group == groups.rbegin() ? ": " : "; ") + std::to_string(group->second.size()) +
               " " + std::string(ToString(group->first)) + " (" + first.node.text() + ": " +
               first.reason.message + ")";
  }
  return {groups.rbegin()->first, std::move(message)};
}

}  // namespace gs::decide
