#include "core/health/judge.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gs::health {
namespace {

using model::DeviceReport;
using model::GpuDevice;
using model::GpuFacts;
using model::LinkKind;
using model::RecoveryNeed;

std::string KeyOf(const GpuDevice& device) {
  return device.uuid.empty() ? "id " + std::to_string(device.id.number()) : device.uuid.text();
}

// Modes end at once, so they are never remembered as trouble.
std::string ModeOf(const GpuFacts& facts) {
  if (!facts.stated.empty()) return facts.stated;
  return facts.has_mig ? std::string(kMig) : "";
}

std::string_view AskedFor(RecoveryNeed need) {
  switch (need) {
    case RecoveryNeed::kNone: return "";
    case RecoveryNeed::kReset: return "the driver asks for a reset of the GPU";
    case RecoveryNeed::kReboot: return "the driver asks for a reboot of the node";
    case RecoveryNeed::kDrain: return "the driver asks for the end of its pods and a reset";
  }
  return "";
}

bool IsOnSwitch(const DeviceReport& report, std::size_t index) {
  for (std::size_t peer = 0; peer < report.machine.devices.size(); ++peer) {
    if (peer != index && report.machine.links.At(index, peer).kind == LinkKind::kNvSwitch) {
      return true;
    }
  }
  return false;
}

// GPUs of one model on switches have equally many links, so the best of them tells what the others
// lack. Elsewhere links may be absent by design.
std::int32_t LinksOfItsLike(const DeviceReport& report, std::size_t index) {
  std::int32_t most = 0;
  for (std::size_t peer = 0; peer < report.machine.devices.size(); ++peer) {
    const bool is_alike = report.machine.devices[peer].model == report.machine.devices[index].model;
    if (is_alike && IsOnSwitch(report, peer)) most = std::max(most, report.facts[peer].links_up);
  }
  return most;
}

// A GPU that is lost, and MIG, take links of others down that are in order.
bool TellsOfLinks(const DeviceReport& report) {
  return std::none_of(report.facts.begin(), report.facts.end(),
                      [](const GpuFacts& facts) { return facts.is_lost || facts.has_mig; });
}

std::int32_t LinksMissing(const DeviceReport& report, std::size_t index, std::int32_t most_links) {
  if (!TellsOfLinks(report)) return 0;
  const std::int32_t expected =
      IsOnSwitch(report, index) ? std::max(most_links, LinksOfItsLike(report, index)) : most_links;
  return expected - report.facts[index].links_up;
}

// What is wrong at this moment, the worst first; empty: nothing.
std::string WrongWith(const DeviceReport& report, std::size_t index, std::int32_t most_links) {
  const GpuFacts& facts = report.facts[index];
  if (facts.is_lost) return std::string(kLost);
  if (facts.has_remap_failed) return std::string(kRemapFailed);
  if (facts.recovery != RecoveryNeed::kNone) return std::string(AskedFor(facts.recovery));
  const std::int32_t missing = LinksMissing(report, index, most_links);
  if (missing <= 0) return "";
  return std::to_string(missing) + (missing == 1 ? " link is down" : " links are down");
}

}  // namespace

Judge::Judge(Rules rules) : rules_(std::move(rules)) {}

void Judge::Remember(const model::Machine& published, TimePoint now) {
  for (const GpuDevice& device : published.devices) {
    if (device.health == model::Health::kHealthy || device.health_reason.text() == kMig) continue;
    records_[KeyOf(device)].trouble =
        Trouble{.reason = std::string(device.health_reason.text()), .last = now};
  }
}

bool Judge::See(const model::GpuFault& fault, TimePoint now) {
  if (fault.xid && rules_.ignored_xids.contains(*fault.xid)) return false;
  const Trouble trouble{.reason = fault.message, .last = now};
  if (!fault.uuid.empty()) {
    records_[fault.uuid.text()].trouble = trouble;
    return true;
  }
  for (auto& [key, record] : records_) record.trouble = trouble;
  return true;
}

std::vector<Verdict> Judge::See(const DeviceReport& report, TimePoint now) {
  const std::size_t size = report.machine.devices.size();
  GS_CHECK(report.facts.size() == size && report.machine.links.size() == size);
  std::set<std::string> seen;
  for (const GpuDevice& device : report.machine.devices) seen.insert(KeyOf(device));
  Forget(std::move(seen), now);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < size; ++i) {
    Record& record = records_[KeyOf(report.machine.devices[i])];
    verdicts.push_back(SeeDevice(report, i, record, now));
  }
  return verdicts;
}

Verdict Judge::SeeDevice(const DeviceReport& report, std::size_t index, Record& record,
                         TimePoint now) const {
  const GpuFacts& facts = report.facts[index];
  SeeMemory(facts, record, now);
  if (const std::string wrong = WrongWith(report, index, record.most_links); !wrong.empty()) {
    record.trouble = Trouble{.reason = wrong, .last = now};
  }
  record.most_links = std::max(record.most_links, facts.links_up);
  std::string mode = ModeOf(facts);
  // What was remembered may have been a mode.
  const bool is_no_trouble = record.trouble && record.trouble->reason == mode;
  if (record.trouble && (is_no_trouble || IsOver(*record.trouble, now))) record.trouble.reset();
  std::string reason = record.trouble ? record.trouble->reason : std::move(mode);
  if (reason.empty()) return {};
  return {.health = model::Health::kUnhealthy, .reason = std::move(reason)};
}

void Judge::SeeMemory(const GpuFacts& facts, Record& record, TimePoint now) const {
  if (facts.is_lost) return;  // its counters are not to be trusted
  // Errors from before the first reading are over, unless the driver still waits for a reset.
  const std::int64_t known =
      record.uncorrected_ecc.value_or(facts.has_remap_pending ? 0 : facts.uncorrected_ecc);
  if (facts.uncorrected_ecc > known) {
    record.trouble =
        Trouble{.reason = "uncorrected memory errors: " + std::to_string(facts.uncorrected_ecc),
                .last = now};
  }
  record.uncorrected_ecc = facts.uncorrected_ecc;
  if (facts.has_remap_pending && record.trouble) record.trouble->last = now;
}

void Judge::Forget(std::set<std::string> seen, TimePoint now) {
  // A GPU that is gone keeps its trouble for as long as it would if it were there.
  std::erase_if(records_, [&](const auto& entry) {
    const auto& [key, record] = entry;
    return !seen.contains(key) && (!record.trouble || IsOver(*record.trouble, now));
  });
  // Other GPUs, other links.
  if (seen != seen_) {
    for (auto& [key, record] : records_) record.most_links = 0;
  }
  seen_ = std::move(seen);
}

bool Judge::IsOver(const Trouble& trouble, TimePoint now) const {
  return now - trouble.last >= rules_.quiet;
}

}  // namespace gs::health
