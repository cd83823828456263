#include "programs/kubectl_gpu/leases_report.h"

#include <array>
#include <boost/json/array.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/text.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

constexpr std::array<std::string_view, 3> kStateNames{"held", "in flight", "stale"};

struct SeenLease {
  const model::GpuLease& lease;
  LeaseState state;

  [[nodiscard]] std::string state_name() const {
    return std::string(kStateNames.at(static_cast<std::size_t>(state)));
  }
};

Table::Row LeaseRow(const SeenLease& seen, const Picture& picture) {
  const model::GpuLease& lease = seen.lease;
  const Colour colour = seen.state == LeaseState::kStale ? Colour::kRed : Colour::kPlain;
  Table::Row row{
      lease.name.text(), lease.node.text(), std::to_string(lease.gpu.number()),
      Cell(seen.state_name(), picture.paint(colour, seen.state_name())),
      text::Join(lease.holders, ",", [](const auto& holder) { return ToString(holder.pod); })};
  if (picture.is_wide()) {
    row.emplace_back(std::string(ToString(lease.mode)));
    row.emplace_back(lease.scheduler.text());
  }
  return row;
}

std::string LeasesText(const std::vector<SeenLease>& leases, const Picture& picture) {
  if (leases.empty()) return "no leases\n";
  Table::Row header{"NAME", "NODE", "GPU", "STATE", "PODS"};
  if (picture.is_wide()) header.insert(header.end(), {"MODE", "SCHEDULER"});
  Table table(std::move(header));
  for (const SeenLease& seen : leases) table.Add(LeaseRow(seen, picture));
  return table.Print();
}

boost::json::object LeasesJson(const std::vector<SeenLease>& leases, const Picture& picture) {
  boost::json::array items;
  for (const SeenLease& seen : leases) {
    const model::GpuLease& lease = seen.lease;
    boost::json::array pods;
    for (const auto& holder : lease.holders) {
      pods.push_back(boost::json::object{{"namespace", holder.pod.ns.text()},
                                         {"name", holder.pod.name.text()},
                                         {"uid", holder.pod.uid.text()}});
    }
    items.push_back(boost::json::object{{"name", lease.name.text()},
                                        {"node", lease.node.text()},
                                        {"gpu", lease.gpu.number()},
                                        {"state", seen.state_name()},
                                        {"mode", ToString(lease.mode)},
                                        {"scheduler", lease.scheduler.text()},
                                        {"pods", std::move(pods)}});
  }
  boost::json::object object = answers::ApiHead("LeaseList", {.time = picture.now});
  object["items"] = std::move(items);
  return object;
}

}  // namespace

LeaseState StateOf(const model::GpuLease& lease, const cache::Cache& cache) {
  LeaseState state = LeaseState::kStale;
  for (const auto& holder : lease.holders) {
    const model::Pod* pod = cache.FindPod(holder.pod.uid);
    if (pod == nullptr || pod->is_terminal()) continue;
    if (pod->node == lease.node) return LeaseState::kHeld;
    if (!pod->is_bound()) state = LeaseState::kInFlight;
  }
  return state;
}

Answer ReportLeases(const LeasesQuestion& question, const Picture& picture) {
  const cache::Cache& cache = picture.cycle.cache();
  std::vector<SeenLease> leases;
  for (const auto& [name, lease] : cache.leases()) {
    const LeaseState state = StateOf(lease, cache);
    if (question.is_only_stale && state != LeaseState::kStale) continue;
    leases.push_back({lease, state});
  }
  if (IsForPeople(picture.form)) return {LeasesText(leases, picture)};
  return {PrintObject(LeasesJson(leases, picture), picture.form)};
}

}  // namespace gs::kubectl_gpu
