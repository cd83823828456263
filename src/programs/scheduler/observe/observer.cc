#include "programs/scheduler/observe/observer.h"

#include <optional>

#include "programs/scheduler/observe/census.h"
#include "programs/scheduler/observe/decision_log.h"

namespace gs::scheduler {
namespace {

constexpr Duration kCensusPatience = std::chrono::seconds(3);

}  // namespace

void Observer::CycleRan(const Run& run) {
  metrics_.CycleRan(run.cycle.notes(), run.commands, run.began, run.took);
  metrics_.Show(run.events);
  LogRun(log_, run.cycle.notes(), run.commands, run.began);
  questions_.AnswerAll(run.cycle);
}

void Observer::WriteEnded(const WriteEnd& end) {
  metrics_.WriteEnded(end);
  LogWrite(log_, end);
}

void Observer::WatcherBegan(model::Kind kind, kube::WatcherRequest request) {
  if (request == kube::WatcherRequest::kList) {
    metrics_.ListBegan(kind);
  } else {
    metrics_.WatchBegan(kind);
  }
}

void Observer::WatcherFailed(model::Kind kind, const Error& problem) {
  metrics_.WatchFailed(kind);
  log_.Warning("watch", {{"kind", ToString(kind)}, {"problem", ToString(problem)}});
}

void Observer::LeadershipWon(const model::LeadershipWon& won) {
  metrics_.LeadershipWon(won.transitions);
  log_.Info("leading", {{"transitions", won.transitions}, {"inFlight", won.inherited.size()}});
}

boost::asio::awaitable<std::string> Observer::MetricsText() {
  const std::function<Census(const cycle::Cycle&)> take = [this](const cycle::Cycle& cycle) {
    return TakeCensus(cycle, placeable_);
  };
  const auto census = co_await Ask<Census>(questions_, kCensusPatience, take);
  if (census) metrics_.Show(*census);
  co_return metrics_.Print();
}

}  // namespace gs::scheduler
