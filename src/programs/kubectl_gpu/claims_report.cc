#include "programs/kubectl_gpu/claims_report.h"

#include <string>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "base/text.h"
#include "core/explain/claim_report.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

std::string PrintHeld(const explain::ClaimReport& report) {
  if (report.holders.empty()) return "<none>";
  return text::Join(report.holders, " ",
                    [](const auto& holder) { return ToString(holder.allocation.gpus); });
}

std::string PrintPods(const explain::ClaimReport& report) {
  if (report.holders.empty()) return "<none>";
  return text::Join(report.holders, ",", [](const auto& holder) { return holder.pod.name.text(); });
}

Table::Row ClaimRow(const explain::ClaimReport& report, const Picture& picture) {
  const model::Claim& claim = report.claim;
  Table::Row row;
  if (picture.has_all_namespaces) row.emplace_back(claim.ns.text());
  row.insert(row.end(), {claim.name.text(), std::to_string(claim.devices.count),
                         std::string(ToString(claim.devices.policy)),
                         claim.topology ? std::string(ToString(claim.topology->mode)) : "<none>",
                         PrintHeld(report), std::to_string(report.waiting)});
  if (picture.is_wide()) {
    row.emplace_back(std::string(ToString(claim.devices.exclusivity)));
    row.emplace_back(PrintPods(report));
  }
  return row;
}

}  // namespace

Answer ReportAllClaims(const Picture& picture) {
  std::vector<explain::ClaimReport> reports = explain::ReportClaims(picture.cycle.cache());
  std::erase_if(reports, [&](const auto& report) {
    return !picture.has_all_namespaces && report.claim.ns != picture.ns;
  });
  if (!IsForPeople(picture.form)) {
    return {
        PrintObject(answers::ApiList("ClaimList", {.time = picture.now}, reports), picture.form)};
  }
  Table::Row header;
  if (picture.has_all_namespaces) header.emplace_back("NAMESPACE");
  header.insert(header.end(), {"NAME", "REQ", "POLICY", "TOPOLOGY", "ALLOCATED", "WAITING"});
  if (picture.is_wide()) header.insert(header.end(), {"EXCLUSIVITY", "PODS"});
  Table table(std::move(header));
  for (const auto& report : reports) table.Add(ClaimRow(report, picture));
  if (!table.empty()) return {table.Print()};
  return {picture.has_all_namespaces ? "no claims\n"
                                     : "no claims in namespace " + picture.ns.text() + "\n"};
}

}  // namespace gs::kubectl_gpu
