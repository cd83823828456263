#include "programs/kubectl_gpu/place_report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/answers/explain_json.h"
#include "adapters/answers/place_request.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "core/explain/dry_run.h"
#include "programs/kubectl_gpu/explain_report.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

using decide::RankedPlace;

// Pods that wait and have a place.
std::vector<model::PodRef> PodsWithAPlace(const cycle::Cycle& cycle) {
  return cycle.Look([&](const explain::Scene& scene) {
    std::vector<model::PodRef> pods;
    for (const PodUid& uid : scene.pending.All()) {
      const model::Pod& pod = *scene.cache.FindPod(uid);
      const auto ask = decide::AskOf(pod, scene.cache, scene.ask);
      const auto* known = std::get_if<decide::Ask>(&ask);
      if (known == nullptr) continue;
      const auto decision = decide::Decide(pod, *known, scene.cache, scene.context);
      if (std::holds_alternative<decide::Placement>(decision)) pods.push_back(pod.ref);
    }
    std::sort(pods.begin(), pods.end());
    return pods;
  });
}

// Those who would have to wait if the pod went there: tried on a cluster that has it already.
std::vector<model::PodRef> WouldWait(const model::Pod& tried, const RankedPlace& place,
                                     const LiveView& view, const ClusterOptions& options) {
  const auto before = PodsWithAPlace(*view.cycle);
  if (before.empty()) return {};
  model::Pod bound = tried;
  bound.node = place.node;
  bound.scheduler = options.scheduler;
  if (place.place.allocation) bound.annotations = ResultAnnotations(*place.place.allocation);
  std::vector<model::Event> events = view.events;
  events.emplace_back(model::PodSeen{std::move(bound)});
  const auto after = PodsWithAPlace(*StandbyWith(events, options, view.now));
  std::vector<model::PodRef> waiting;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(waiting));
  return waiting;
}

std::string GpusOf(const RankedPlace& ranked) {
  const auto& allocation = ranked.place.allocation;
  return allocation ? PrintGpuIds(allocation->gpus.ids) : "<none>";
}

std::string PlacesText(const std::vector<RankedPlace>& places, const Picture& picture) {
  constexpr std::size_t kMostRows = 11;
  Table::Row header{"NODE", "GPUS", "SETS LOST", "FREE LEFT"};
  if (picture.is_wide()) {
    header.insert(header.end(), {"TAKES SPARED", "GPUS UNASKED", "MISSES WISH", "CPU IN USE"});
  }
  Table table(std::move(header));
  for (std::size_t i = 0; i < std::min(places.size(), kMostRows); ++i) {
    const decide::Cost& cost = places[i].place.cost;
    Table::Row row{places[i].node.text(), GpusOf(places[i]), std::to_string(cost.placeable_loss),
                   std::to_string(cost.free_gpus_left)};
    if (picture.is_wide()) {
      row.insert(row.end(),
                 {std::to_string(cost.takes_spared), std::to_string(cost.has_gpus_unasked),
                  std::to_string(cost.misses_preference), std::to_string(cost.cpu_in_use)});
    }
    table.Add(std::move(row));
  }
  return table.Print();
}

std::string PlaceText(const explain::DryRun& run, const std::vector<model::PodRef>& waiting,
                      const Picture& picture) {
  if (run.places.empty()) return "no place\n" + PrintWhy(run.explanation, picture);
  const RankedPlace& best = run.places.front();
  std::string text = "would go to " + best.node.text();
  if (best.place.allocation) text += " with GPUs " + GpusOf(best);
  text += "\n\n" + PlacesText(run.places, picture);
  if (!waiting.empty()) {
    text += "\nthen these have to wait, which have a place now: " +
            text::Join(waiting, ", ", [](const auto& pod) { return ToString(pod); }) + "\n";
  }
  return text;
}

}  // namespace

Result<Answer> ReportPlace(const PlaceQuestion& question, const LiveView& view,
                           const ClusterOptions& options, const Picture& picture) {
  const auto request = answers::ReadPlaceRequest(question.text, picture.now, picture.ns);
  if (!request) return request.error();
  const explain::DryRun run = picture.cycle.Look([&](const explain::Scene& scene) {
    return explain::TryToPlace(request->pod, request->claim, scene);
  });
  const auto waiting = run.places.empty()
                           ? std::vector<model::PodRef>()
                           : WouldWait(request->pod, run.places.front(), view, options);
  const int code = run.places.empty() ? kExitNo : kExitDone;
  if (IsForPeople(picture.form)) {
    return Answer{.text = PlaceText(run, waiting, picture), .code = code};
  }
  boost::json::object object = answers::DryRunJson({.time = picture.now}, run);
  boost::json::array names;
  for (const auto& pod : waiting) names.emplace_back(ToString(pod));
  object["wouldWait"] = std::move(names);
  return Answer{.text = PrintObject(object, picture.form), .code = code};
}

}  // namespace gs::kubectl_gpu
