#include "tests/scenarios/cluster/cluster.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/text.h"

namespace gs::scenarios {
namespace {

using model::Kind;
using model::WriteOutcome;

constexpr std::array kFates{
    std::pair{Fate::kFine, std::string_view("fine")},
    std::pair{Fate::kConflict, std::string_view("conflict")},
    std::pair{Fate::kNotExecuted, std::string_view("notExecuted")},
    std::pair{Fate::kRefused, std::string_view("refused")},
    std::pair{Fate::kUnknownDone, std::string_view("unknownDone")},
    std::pair{Fate::kUnknownNotDone, std::string_view("unknownNotDone")},
    std::pair{Fate::kLate, std::string_view("late")},
    std::pair{Fate::kHeld, std::string_view("held")},
};

// Far more than any test needs.
constexpr int kMostTurns = 2000;

}  // namespace

std::optional<Fate> ParseFate(std::string_view word) { return text::ValueOf(kFates, word); }

std::string FateNames() { return text::NamesOf(kFates); }

Cluster::Cluster(cycle::CycleOptions options)
    : options_(std::move(options)), now_(std::chrono::hours(24 * 365 * 54)) {
  options_.scheduler = SchedulerName("gpu-scheduler");
  StartScheduler();
}

void Cluster::StartScheduler() {
  leader_ = "scheduler-" + std::to_string(++starts_);
  options_.leader = leader_;
  scheduler_ = std::make_unique<cycle::Cycle>(options_);
  is_synced_ = false;
  inbox_.clear();
  answers_.clear();
  fence_told_.reset();
  reached_.clear();
  to_list_.clear();
  // Until it is synced it is told nothing.
  for (const Kind kind : model::kAllKinds) told_[kind] = api_.history().size();
}

void Cluster::Sync() {
  for (auto& event : api_.List()) inbox_.push_back(std::move(event));
  for (const Kind kind : model::kAllKinds) {
    told_[kind] = api_.history().size();
    reached_[kind] = {};
    to_list_.insert(kind);
  }
  is_synced_ = true;
}

void Cluster::Lead() {
  model::LeadershipWon won = api_.fence().TakeOver(leader_);
  fence_told_ = api_.fence().others();
  inbox_.emplace_back(*fence_told_);
  inbox_.emplace_back(std::move(won));
}

// By the thread that writes the fence, in order with its answers.
void Cluster::TellFence() {
  if (!fence_told_ || *fence_told_ == api_.fence().others()) return;
  fence_told_ = api_.fence().others();
  answers_.emplace_back(*fence_told_);
}

Fate Cluster::NextFate(const model::Command& command) {
  const std::string name = NameOf(command);
  if (const auto lasting = lasting_fates_.find(name); lasting != lasting_fates_.end()) {
    return lasting->second;
  }
  const auto fates = fates_.find(name);
  if (fates == fates_.end() || fates->second.empty()) return Fate::kFine;
  const Fate fate = fates->second.front();
  fates->second.pop_front();
  return fate;
}

void Cluster::Send(const model::Command& command) {
  sent_.push_back(command);
  const Request request{command, leader_, false};
  switch (NextFate(command)) {
    case Fate::kFine: return Arrive(request);
    case Fate::kConflict: return Answer(leader_, AnswerTo(command, WriteOutcome::kConflict));
    case Fate::kNotExecuted: return Answer(leader_, AnswerTo(command, WriteOutcome::kNotExecuted));
    case Fate::kRefused: return Answer(leader_, AnswerTo(command, WriteOutcome::kRefused));
    case Fate::kUnknownDone:
      (void)api_.Execute(command, leader_, now_);
      return Answer(leader_, AnswerTo(command, WriteOutcome::kUnknown));
    case Fate::kUnknownNotDone: return Answer(leader_, AnswerTo(command, WriteOutcome::kUnknown));
    case Fate::kLate:
      held_.push_back({command, leader_, true});
      return Answer(leader_, AnswerTo(command, WriteOutcome::kUnknown));
    case Fate::kHeld: held_.push_back(request); return;
  }
}

void Cluster::Arrive(const Request& request) {
  const auto answer = api_.Execute(request.command, request.sender, now_);
  TellFence();
  if (!request.is_given_up) Answer(request.sender, answer);
}

void Cluster::Answer(const std::string& receiver, const std::optional<model::Event>& answer) {
  if (answer && receiver == leader_) answers_.push_back(*answer);
}

void Cluster::Release() {
  for (const Request& request : std::exchange(held_, {})) Arrive(request);
}

void Cluster::Deliver(Kind kind, std::size_t count) {
  if (!is_synced_) return;
  std::size_t& told = told_[kind];
  const auto& history = api_.history();
  ResourceVersion reached = reached_[kind];
  for (; told < history.size() && count > 0; ++told) {
    if (history[told].kind != kind) continue;
    inbox_.push_back(history[told].event);
    reached = history[told].version;
    --count;
  }
  if (told == history.size() && to_list_.erase(kind) > 0) reached = api_.version();
  if (reached != std::exchange(reached_[kind], reached)) {
    inbox_.emplace_back(model::ViewReached{kind, reached});
  }
}

void Cluster::DeliverAnswer() {
  TellFence();
  if (answers_.empty()) return;
  inbox_.push_back(std::move(answers_.front()));
  answers_.pop_front();
}

void Cluster::DeliverAll() {
  do DeliverAnswer();
  while (!answers_.empty());
  for (const Kind kind : model::kAllKinds) Deliver(kind, api_.history().size());
}

void Cluster::Run() {
  const std::vector<model::Event> events = std::exchange(inbox_, {});
  for (const auto& command : scheduler_->RunOnce(events, now_)) {
    if (const auto* refresh = std::get_if<model::RefreshView>(&command)) {
      to_list_.insert(refresh->kind);
    }
    Send(command);
  }
  if (observer_) observer_();
}

bool Cluster::IsQuiet() const {
  const auto wake = scheduler_->NextWake();
  return inbox_.empty() && (!wake || *wake > now_);
}

bool Cluster::Settle() {
  for (int turn = 0; turn < kMostTurns; ++turn) {
    DeliverAll();
    if (IsQuiet()) return true;
    Run();
  }
  return false;
}

bool Cluster::Wait(Duration duration) {
  const TimePoint end = now_ + duration;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    if (!Settle()) return false;
    if (now_ == end) return true;
    const auto wake = scheduler_->NextWake();
    now_ = wake ? std::min(*wake, end) : end;
  }
  return false;
}

}  // namespace gs::scenarios
