#include "core/agent/tellings.h"

#include <utility>

#include "base/gpu_ids.h"
#include "base/text.h"

namespace gs::agent {
namespace {

using model::EventType;

std::string KeyOf(const model::GpuDevice& device) {
  return device.uuid.empty() ? std::to_string(device.id.number()) : device.uuid.text();
}

// "GPU 3 (NVIDIA A100, GPU-1234)"
std::string TitleOf(const model::GpuDevice& device) {
  std::string title = "GPU " + std::to_string(device.id.number());
  std::string more(device.model.text());
  if (!device.uuid.empty()) more += (more.empty() ? "" : ", ") + device.uuid.text();
  if (!more.empty()) title += " (" + more + ")";
  return title;
}

std::string TroubleOf(const model::GpuDevice& device) {
  if (device.health == model::Health::kHealthy) return "";
  return device.health_reason.empty() ? "unhealthy" : std::string(device.health_reason.text());
}

RaiseEvent Warning(std::string reason, std::string message) {
  return {.node = {},
          .type = EventType::kWarning,
          .reason = std::move(reason),
          .message = std::move(message)};
}

RaiseEvent Normal(std::string reason, std::string message) {
  return {.node = {}, .reason = std::move(reason), .message = std::move(message)};
}

std::string UsersOf(const model::GpuDevice& device) {
  if (device.in_use_by.empty()) return "; no pod uses it";
  return "; in use by " +
         text::Join(device.in_use_by, ", ", [](const std::string& user) { return user; });
}

}  // namespace

void Tellings::Begin(const model::Machine& told) {
  for (const auto& device : told.devices) {
    gpus_[KeyOf(device)] = {TitleOf(device), TroubleOf(device)};
    for (const PodUid& pod : device.residue) residue_.insert(KeyOf(device) + " " + pod.text());
  }
}

std::vector<RaiseEvent> Tellings::About(const model::NodeReport& report, const GpuUse& use) {
  std::vector<RaiseEvent> events;
  if (report.notes.why_stale != stale_) {
    const bool was_stale = !stale_.empty();
    stale_ = report.notes.why_stale;
    if (!stale_.empty()) {
      events.push_back(Warning("GpusUnreadable",
                               "the GPUs cannot be read, and what was seen last "
                               "stays in the report: " +
                                   stale_));
    } else if (was_stale) {
      events.push_back(Normal("GpusReadable", "the GPUs can be read again"));
    }
  }
  TellHealth(report.machine, events);
  TellMismatches(use, events);
  TellResidue(report.machine, events);
  return events;
}

void Tellings::TellHealth(const model::Machine& machine, std::vector<RaiseEvent>& events) {
  std::map<std::string, Told> now;
  for (const auto& device : machine.devices) {
    const std::string key = KeyOf(device);
    const std::string title = TitleOf(device);
    std::string trouble = TroubleOf(device);
    const auto before = gpus_.find(key);
    const std::string old = before == gpus_.end() ? "" : before->second.trouble;
    if (trouble != old && !trouble.empty()) {
      events.push_back(
          Warning("GpuUnhealthy", title + " is unhealthy: " + trouble + UsersOf(device)));
    } else if (trouble != old) {
      events.push_back(Normal("GpuHealthy", title + " is healthy again"));
    }
    now[key] = {title, std::move(trouble)};
  }
  for (const auto& [key, told] : gpus_) {
    if (!now.contains(key)) events.push_back(Warning("GpuMissing", told.title + " is gone"));
  }
  gpus_ = std::move(now);
}

void Tellings::TellMismatches(const GpuUse& use, std::vector<RaiseEvent>& events) {
  std::set<std::string> now;
  for (const Mismatch& mismatch : use.mismatches) {
    const std::string given = PrintGpuIds(mismatch.given);
    const std::string key = mismatch.pod.uid.text() + " " + given;
    if (now.insert(key).second && !mismatches_.contains(key)) {
      events.push_back(Warning("GpuMismatch",
                               model::ToString(mismatch.pod) + " was given GPUs " + given +
                                   " by the device plugin of the node; the scheduler had planned " +
                                   PrintGpuIds(mismatch.planned)));
    }
  }
  mismatches_ = std::move(now);
}

void Tellings::TellResidue(const model::Machine& machine, std::vector<RaiseEvent>& events) {
  std::set<std::string> now;
  for (const auto& device : machine.devices) {
    for (const PodUid& pod : device.residue) {
      const std::string key = KeyOf(device) + " " + pod.text();
      if (now.insert(key).second && !residue_.contains(key)) {
        events.push_back(Warning(
            "GpuResidue",
            "pod " + pod.text() + " is gone or has ended and still uses " + TitleOf(device)));
      }
    }
  }
  residue_ = std::move(now);
}

std::optional<RaiseEvent> Tellings::AboutRival(const std::string* rival) {
  const std::string name = rival == nullptr ? "" : *rival;
  if (name == rival_) return std::nullopt;
  rival_ = name;
  if (name.empty()) return std::nullopt;
  return Warning("GpuAgentConflict", "agent " + name +
                                         " reports for this node too; this one stands back while "
                                         "it does. Run one agent per node");
}

}  // namespace gs::agent
