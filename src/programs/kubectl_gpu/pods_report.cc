#include "programs/kubectl_gpu/pods_report.h"

#include <string>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/gpu_ids.h"
#include "core/explain/pod_report.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

using explain::PodReport;

std::string AskedBy(const model::Pod& pod, const ClaimName& claim) {
  if (!claim.empty()) return "claim " + claim.text();
  if (model::FindAnnotation(pod, model::names::kMap) != nullptr) return "map";
  return model::HasGpuResource(pod.requests) ? "resources" : "<none>";
}

// With the first word of what the scheduler wrote on a pod that waits: "Token: sentence".
std::string StateWord(const PodReport& report, const model::Pod& pod) {
  std::string state(ToString(report.state));
  const std::string& said = pod.scheduled.message.text();
  if (report.state != explain::PodState::kWaiting || said.empty()) return state;
  return state + " (" + Printable(said.substr(0, said.find(':'))) + ")";
}

Table::Row PodRow(const PodReport& report, const Picture& picture) {
  const model::Pod& pod = *picture.cycle.cache().FindPod(report.pod.uid);
  const std::string state = StateWord(report, pod);
  Table::Row row;
  if (picture.has_all_namespaces) row.emplace_back(report.pod.ns.text());
  row.insert(
      row.end(),
      {report.pod.name.text(), AskedBy(pod, report.claim),
       report.node.empty() ? "<none>" : report.node.text(),
       report.allocation ? PrintGpuIds(report.allocation->gpus.ids) : "<none>",
       Cell(state, picture.paint(report.node.empty() ? Colour::kYellow : Colour::kGreen, state))});
  if (picture.is_wide()) {
    row.emplace_back(PrintAge(picture.now - report.created));
    row.emplace_back(pod.scheduled.message.empty() ? "<none>"
                                                   : Printable(pod.scheduled.message.text()));
  }
  return row;
}

std::string PrintPods(const std::vector<PodReport>& reports, const Picture& picture) {
  Table::Row header;
  if (picture.has_all_namespaces) header.emplace_back("NAMESPACE");
  header.insert(header.end(), {"NAME", "ASKED BY", "NODE", "GPUS", "STATE"});
  if (picture.is_wide()) header.insert(header.end(), {"AGE", "SAID"});
  Table table(std::move(header));
  for (const PodReport& report : reports) table.Add(PodRow(report, picture));
  if (!table.empty()) return table.Print();
  const std::string none = "scheduler " + picture.cycle.scheduler().text() + " has no pods";
  return none + (picture.has_all_namespaces ? "\n" : " in namespace " + picture.ns.text() + "\n");
}

}  // namespace

Answer ReportAllPods(const Picture& picture) {
  const cycle::Cycle& cycle = picture.cycle;
  std::vector<PodReport> reports =
      explain::ReportPods(cycle.cache(), cycle.pending(), cycle.scheduler());
  std::erase_if(reports, [&](const PodReport& report) {
    return !picture.has_all_namespaces && report.pod.ns != picture.ns;
  });
  if (IsForPeople(picture.form)) return {PrintPods(reports, picture)};
  // Since when the scheduler has seen them wait, only the scheduler knows.
  for (PodReport& report : reports) report.wait.reset();
  return {PrintObject(answers::ApiList("PodList", {.time = picture.now}, reports), picture.form)};
}

}  // namespace gs::kubectl_gpu
