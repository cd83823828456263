#include "bench/core/pod_lives.h"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/core/processor_time.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::bench {
namespace {

using model::Event;
using model::WriteOutcome;

// What an API server answers, at the pace of one that serves some hundred pods a second while the
// cycle runs once in a millisecond.
class Server {
 public:
  Server(int pods, int gpus) {
    for (int i = 0; i < pods; ++i) {
      const model::Pod pod = WaitingPod(i, gpus);
      watched_.emplace_back(model::PodSeen{pod});
      waiting_.emplace(pod.ref.uid, pod);
    }
  }

  void Take(const std::vector<model::Command>& commands) {
    for (const model::Command& command : commands) {
      std::visit([this](const auto& one) { Do(one); }, command);
    }
  }

  // What happens until the next run.
  [[nodiscard]] std::vector<Event> Next() {
    std::vector<Event> events = std::exchange(watched_, {});
    if (!events.empty()) events.emplace_back(model::ViewReached{model::Kind::kPod, shown_});
    if (listed_ > told_ && ++list_age_ == kRunsPerList) {
      told_ = listed_;
      list_age_ = 0;
      events.emplace_back(model::InFlightListed{told_});
    }
    for (int i = 0; i < kWritesPerRun && !writes_.empty(); ++i) {
      auto& [answer, seen] = writes_.front();
      events.push_back(std::move(answer));
      if (const auto* pod = std::get_if<model::PodSeen>(&seen)) shown_ = pod->pod.resource_version;
      watched_.push_back(std::move(seen));
      writes_.pop_front();
    }
    return events;
  }

  [[nodiscard]] bool is_done() const {
    return waiting_.empty() && writes_.empty() && watched_.empty();
  }

 private:
  static constexpr int kWritesPerRun = 2;
  static constexpr int kRunsPerList = 4;

  [[nodiscard]] ResourceVersion NextVersion() {
    return ResourceVersion(std::to_string(++revision_));
  }

  void Do(const model::ListInFlight& list) { listed_ = list.revision; }
  void Do(const model::CreateLease& create) {
    model::GpuLease lease = create.lease;
    lease.uid = LeaseUid("uid-of-" + lease.name.text());
    lease.resource_version = NextVersion();
    writes_.emplace_back(
        model::LeaseAnswered{create.lease.name, create.attempt, WriteOutcome::kDone},
        model::LeaseSeen{std::move(lease)});
  }
  void Do(const model::BindPod& bind) {
    model::Pod pod = waiting_.extract(bind.pod.uid).mapped();
    pod.resource_version = NextVersion();
    pod.node = bind.allocation.gpus.node;
    for (const auto& [name, value] : model::ResultAnnotations(bind.allocation)) {
      pod.annotations.Set(name, value);
    }
    writes_.emplace_back(model::BindAnswered{bind.pod.uid, bind.attempt, WriteOutcome::kDone},
                         model::PodSeen{std::move(pod)});
  }
  template <class Other>
  void Do(const Other& /*command*/) {}

  std::map<PodUid, model::Pod> waiting_;
  std::deque<std::pair<Event, Event>> writes_;  // the answer, and what the watch shows next
  std::vector<Event> watched_;
  std::uint64_t listed_ = 0;
  std::uint64_t told_ = 0;
  int list_age_ = 0;
  int revision_ = 100;
  ResourceVersion shown_{"100"};  // of pods
};

}  // namespace

PodLives TimePodLives(MadeUpCluster& cluster, int pods, int gpus) {
  Server server(pods, gpus);
  PodLives lives;
  TimePoint now = kNow;
  while (!server.is_done()) {
    const std::vector<Event> events = server.Next();
    const double start = MicrosecondsUsed();
    const auto commands = cluster.cycle().RunOnce(events, now += std::chrono::milliseconds(1));
    (void)cluster.cycle().NextWake();
    lives.microseconds += (MicrosecondsUsed() - start) / pods;
    lives.runs += 1.0 / pods;
    server.Take(commands);
  }
  return lives;
}

}  // namespace gs::bench
