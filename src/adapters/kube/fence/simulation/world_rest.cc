// The part of World that lets everything come to rest.
#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/kube/fence/simulation/world.h"

namespace gs::kube::simulation {

using model::Kind;

namespace {

// Agents say again what they have said. Somebody may wait for it, since a pod that has ended can be
// written to later than its agent has looked.
constexpr Duration kConfirmEvery = std::chrono::minutes(5);

}  // namespace

void World::Pass(Duration duration) {
  now_ += duration;
  for (std::size_t i = 0; i < processes_.size(); ++i) Run(i);
}

std::set<SchedulerName> World::Running() const {
  std::set<SchedulerName> running;
  for (const Release& release : releases_) {
    if (release.is_running) running.insert(SchedulerName(release.name));
  }
  return running;
}

std::optional<Duration> World::NextWake() const {
  std::optional<Duration> wake;
  for (const Process& process : processes_) {
    if (process.is_paused) continue;
    if (const auto at = process.replica->NextWake()) {
      wake = wake ? std::min(*wake, *at - process.ahead) : *at - process.ahead;
    }
  }
  return wake;
}

// Leftovers are gone at last, and a release that nobody can tell what it listed is dealt with as
// the scheduler advises.
void World::EndTrouble() {
  Note("no more trouble");
  if (Running().empty()) StartRelease(0);
  if (!setup_.stays_refusing) server_.AllowTouches();
  while (!server_.LeftBehind().empty()) EndWorkload(0);
  for (Process& process : processes_) process.is_paused = process.is_left_over;
  for (std::size_t i = 0; i < processes_.size(); ++i) Run(i);
}

bool World::ComeToRest() {
  EndTrouble();
  const Duration begin = now_;
  Duration confirmed = now_;
  while (now_ - begin < std::chrono::minutes(10)) {
    if (now_ - confirmed >= kConfirmEvery) {
      ConfirmReports();
      confirmed = now_;
    }
    for (int i = 0; MoveOn(); ++i) {
      if (i > 200) return false;
    }
    if (IsAtRest()) return true;
    if (server_.fence() && !server_.fence()->unreadable.empty() &&
        now_ - begin > std::chrono::seconds(10)) {
      server_.DeleteFence();
    }
    const auto wake = NextWake();
    if (!wake) return false;
    Pass(std::max(Duration(0), *wake - now_));
  }
  return false;
}

// One round of everything that is waiting. False: nothing is.
bool World::MoveOn() {
  bool has_moved = WriteReports() || !requests_.empty();
  while (!requests_.empty()) Deliver(0, Fate::kFine);
  std::erase_if(answers_, [&](const Answer& each) { return processes_[each.process].is_paused; });
  has_moved = has_moved || !answers_.empty();
  while (!answers_.empty()) HandOver(0);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    if (process.is_paused) continue;
    if (process.replica->is_over()) Start(i);
    for (const int kind : {0, 1}) {
      if (process.replica->stream(kind == 0 ? Kind::kPod : Kind::kLease).IsDone(server_)) continue;
      has_moved = true;
      Watch(i, kind, 1000);
    }
    Watch(i, 3, 1000);
    has_moved = has_moved || !process.replica->news().empty();
    TellNews(i, 1000);
  }
  return has_moved || !requests_.empty();
}

bool World::IsAtRest() const {
  for (const SchedulerName& scheduler : Running()) {
    const bool is_led = std::ranges::any_of(processes_, [&](const Process& process) {
      return !process.is_paused && process.replica->is_ready() &&
             process.replica->self().scheduler == scheduler;
    });
    if (!is_led) return false;
  }
  return !FindLoss(server_, cluster_, Running());
}

}  // namespace gs::kube::simulation
