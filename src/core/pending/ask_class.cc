#include "core/pending/ask_class.h"

#include <cstdint>
#include <string>

#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "core/model/term_key.h"

namespace gs::pending {
namespace {

namespace names = model::names;

// Texts come from users and may contain any sign, so their lengths are written too.
void Put(std::string& out, const std::string& text) {
  out.append(std::to_string(text.size())).append(":").append(text).append(" ");
}

void PutNumber(std::string& out, std::int64_t number) {
  out.append(std::to_string(number)).append(" ");
}

void PutLabels(std::string& out, const model::Labels& labels) {
  for (const auto& [name, value] : labels) {
    Put(out, name);
    Put(out, value);
  }
  out += ';';
}

void PutRequests(std::string& out, const model::Resources& requests) {
  PutNumber(out, requests.cpu_milli);
  PutNumber(out, requests.memory_bytes);
  PutNumber(out, requests.gpus);
  for (const auto& [name, amount] : requests.others) {
    Put(out, name);
    PutNumber(out, amount);
  }
  out += ';';
}

void PutRules(std::string& out, const model::PlacementRules& rules) {
  PutLabels(out, rules.node_selector);
  for (const auto& term : rules.node_affinity) Put(out, ToString(term));
  out += ';';
  for (const auto& toleration : rules.tolerations) Put(out, ToString(toleration));
  out += ';';
  for (const auto& field : rules.unsupported) Put(out, field);
  out += ';';
}

// Claims are of the pod's namespace, and those for ephemeral volumes of one pod.
void PutVolumes(std::string& out, const model::Pod& pod) {
  if (!pod.ties->volumes.empty()) Put(out, pod.ref.ns.text());
  for (const auto& volume : pod.ties->volumes) {
    Put(out, volume.claim);
    if (volume.is_made_for_pod) Put(out, pod.ref.uid.text());
  }
  out += ';';
  for (const auto& disk : pod.ties->disks) {
    Put(out, disk.kind);
    Put(out, disk.id);
    PutNumber(out, disk.is_read_only ? 1 : 0);
  }
  out += ';';
}

// What it says about other pods, and whether it is such a pod itself: the first of a group may go
// where the second may not, and who counts makes a spread more uneven.
void PutCompany(std::string& out, const model::Pod& pod) {
  const auto put = [&out](const model::PodAffinityTerm& term) {
    Put(out, model::KeyOfPods(term));
    Put(out, term.topology_key);
  };
  const auto put_itself = [&](const std::optional<model::LabelSelector>& selector) {
    out += selector && Matches(*selector, pod.labels) ? "itself " : "others ";
  };
  for (const auto& term : pod.rules->pod_affinity) {
    put(term);
    put_itself(term.selector);
  }
  out += ';';
  for (const auto& term : pod.ties->anti_affinity) put(term);
  out += ';';
  for (const auto& constraint : pod.rules->spread) {
    Put(out, constraint.selector ? model::KeyOf(*constraint.selector) : "");
    Put(out, constraint.topology_key);
    PutNumber(out, constraint.max_skew);
    PutNumber(out, constraint.min_domains);
    PutNumber(out, constraint.honours_affinity ? 1 : 0);
    PutNumber(out, constraint.honours_taints ? 1 : 0);
    put_itself(constraint.selector);
  }
  out += ';';
  // Which namespaces are meant depends on its own.
  if (!pod.rules->pod_affinity.empty() || !pod.rules->spread.empty()) Put(out, pod.ref.ns.text());
}

}  // namespace

AskClass ClassOf(const model::Pod& pod) {
  AskClass result;
  std::string& out = result.key;
  // What is kept for a pod that has waited long does not bind those of higher priority.
  PutNumber(out, pod.priority);
  PutRequests(out, pod.requests);
  PutRules(out, *pod.rules);
  PutCompany(out, pod);
  for (const auto& port : pod.ties->host_ports) Put(out, ToString(port));
  out += ';';
  if (const std::string* claim = model::FindAnnotation(pod, names::kClaim)) {
    result.ns = pod.ref.ns;
    result.claim = ClaimName(*claim);
    out += "claim ";
    Put(out, pod.ref.ns.text());
    Put(out, *claim);
  }
  const std::string* map = model::FindAnnotation(pod, names::kMap);
  if (map != nullptr) {
    out += "map ";
    PutNumber(out, model::PodIndexOf(pod).number());
    Put(out, *map);
    Put(out, pod.controller ? pod.controller->uid.text() : pod.ref.uid.text());
  }
  PutVolumes(out, pod);
  result.uses_volumes = !pod.ties->volumes.empty() || !pod.ties->disks.empty();
  result.uses_gpus = model::WholeGpus(pod.requests) > 0 || map != nullptr || !result.claim.empty();
  if (result.uses_gpus && !pod.has_visible_devices_variable) out += "untold ";
  return result;
}

}  // namespace gs::pending
