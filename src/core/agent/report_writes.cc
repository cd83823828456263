#include "core/agent/report_writes.h"

#include <algorithm>
#include <utility>

#include "base/resource_version.h"

namespace gs::agent {
namespace {

using model::WriteOutcome;

// The machine without what only waits: who uses the GPUs.
model::Machine WithoutUse(model::Machine machine) {
  for (auto& device : machine.devices) device.in_use_by.clear();
  return machine;
}

bool HaveSameNotes(const model::ReportNotes& a, const model::ReportNotes& b) {
  return a.driver_version == b.driver_version && a.why_stale == b.why_stale;
}

}  // namespace

bool ReportWrites::IsOld(const ResourceVersion& version) const {
  return !written_.empty() && !version.empty() && !IsAtLeast(version, written_);
}

void ReportWrites::See(const model::MachineSeen& seen, TimePoint now) {
  if (IsOld(seen.resource_version)) return;
  // Our own write. If it reads differently from what was sent, writing it again would not help.
  if (is_ours_ && seen.resource_version == written_) return;
  may_exist_ = false;
  if (seen.reporter != reporter_) {
    const bool is_taken = is_ours_ || rival_;
    is_ours_ = false;
    rival_.reset();
    // A name that was only removed is nobody's.
    if (is_taken && !seen.reporter.empty()) rival_ = Rival{seen.reporter, now};
  }
  stored_ = seen;
  is_content_known_ = true;
}

void ReportWrites::SeeNone(const model::MachineGone& gone) {
  // An object without a report is told like none; ours was that before we wrote the first.
  if (IsAtLeast(written_, gone.resource_version)) return;
  stored_.reset();
  rival_.reset();
  is_ours_ = false;
  is_content_known_ = false;
}

void ReportWrites::Answer(const WriteAnswered& answer, TimePoint now) {
  if (sent_ == Sent::kNothing) return;
  not_before_ = now + times_.min_gap;
  switch (answer.outcome) {
    case WriteOutcome::kDone: TakeDone(answer, now); break;
    case WriteOutcome::kAlreadyExists:
      may_exist_ = true;
      not_before_.reset();
      break;
    case WriteOutcome::kNotFound:  // somebody deleted it, or the kind is not installed
      stored_.reset();
      is_ours_ = may_exist_ = is_content_known_ = false;
      Fail(now);
      break;
    default: Fail(now);
  }
  sent_ = Sent::kNothing;
}

void ReportWrites::TakeDone(const WriteAnswered& answer, TimePoint now) {
  failures_ = 0;
  if (!answer.resource_version.empty()) written_ = answer.resource_version;
  if (sent_ == Sent::kReport) {
    if (!stored_) return;  // deleted since
    stored_->machine = std::move(sent_report_.machine);
    stored_->notes = std::move(sent_report_.notes);
    is_content_known_ = true;
    paid_ = sent_owed_;
    use_due_.reset();
    confirm_at_ = now + Jittered(times_.confirm_every);
    return;
  }
  // The object is ours, and the report follows at once.
  not_before_.reset();
  may_exist_ = false;
  is_ours_ = true;
  if (!stored_) stored_.emplace();
  stored_->owner = sent_owner_;
  stored_->reporter = reporter_;
  if (sent_ == Sent::kCreate) is_content_known_ = false;
  confirm_at_ = now;
}

void ReportWrites::Fail(TimePoint now) {
  const int doublings = std::min(failures_++, 10);
  const Duration wait = std::min(times_.first_retry * (1 << doublings), times_.max_retry);
  not_before_ = now + Jittered(wait);
}

bool ReportWrites::IsRivalSilent(TimePoint now) {
  const TimePoint silent_at = rival_->last_heard + 2 * times_.confirm_every + times_.use_delay;
  if (now < silent_at) {
    WakeAt(silent_at);
    return false;
  }
  rival_.reset();
  return true;
}

std::optional<Command> ReportWrites::Next(const NodeUid& owner, const model::NodeReport& wanted,
                                          TimePoint now) {
  wake_.reset();
  if (!is_view_complete_ || sent_ != Sent::kNothing) return std::nullopt;
  if (rival_ && !IsRivalSilent(now)) return std::nullopt;
  // A node that never had a GPU has no object.
  if (!stored_ && !may_exist_ && wanted.machine.devices.empty()) return std::nullopt;
  const bool is_due = !stored_ || !is_ours_ || stored_->owner != owner || IsDue(wanted, now);
  if (!is_due) return std::nullopt;
  if (not_before_ && now < *not_before_) {
    WakeAt(*not_before_);
    return std::nullopt;
  }
  if (!stored_) return Send(may_exist_ ? Sent::kAdopt : Sent::kCreate, owner, wanted);
  if (!is_ours_ || stored_->owner != owner) return Send(Sent::kAdopt, owner, wanted);
  return Send(Sent::kReport, owner, wanted);
}

bool ReportWrites::IsDue(const model::NodeReport& wanted, TimePoint now) {
  if (owed_ != paid_ || !is_content_known_ || !HaveSameNotes(wanted.notes, stored_->notes))
    return true;
  if (WithoutUse(wanted.machine) != WithoutUse(stored_->machine)) return true;
  bool is_due = false;
  if (wanted.machine == stored_->machine) {
    use_due_.reset();
  } else {
    if (!use_due_) use_due_ = now + Jittered(times_.use_delay);
    is_due = now >= *use_due_;
    WakeAt(*use_due_);
  }
  // A report that is no newer confirms nothing.
  if (wanted.notes.observed_at > stored_->notes.observed_at) {
    if (!confirm_at_) confirm_at_ = now;
    is_due = is_due || now >= *confirm_at_;
    WakeAt(*confirm_at_);
  }
  return is_due;
}

Command ReportWrites::Send(Sent sent, const NodeUid& owner, const model::NodeReport& report) {
  sent_ = sent;
  sent_owner_ = owner;
  wake_.reset();
  if (sent == Sent::kCreate) return CreateObject{owner};
  if (sent == Sent::kAdopt) return AdoptObject{owner};
  sent_owed_ = owed_;
  sent_report_ = report;
  return WriteReport{report};
}

void ReportWrites::WakeAt(TimePoint time) {
  if (!wake_ || time < *wake_) wake_ = time;
}

Duration ReportWrites::Jittered(Duration time) {
  // Steele and Vigna's mixing of a counter: as good as any for spreading times.
  seed_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = seed_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31U;
  return time - time * static_cast<std::int64_t>(mixed % 256) / 1024;
}

}  // namespace gs::agent
