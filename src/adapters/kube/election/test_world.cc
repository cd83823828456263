#include "adapters/kube/election/test_world.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"

namespace gs::kube {
namespace {

using model::PodRef;
using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kEnd = seconds(150);

class Fates {
 public:
  explicit Fates(const std::vector<std::uint32_t>& fates) : fates_(fates) {}
  // 0 where nothing special is to happen.
  int Below(int limit) {
    if (next_ >= fates_.size()) return 0;
    return static_cast<int>(fates_[next_++] % static_cast<std::uint32_t>(limit));
  }
  Duration UpTo(Duration longest) { return longest / 16 * Below(17); }
  [[nodiscard]] bool is_exhausted() const { return next_ >= fates_.size(); }

 private:
  const std::vector<std::uint32_t>& fates_;
  std::size_t next_ = 0;
};

// One scheduler: its process of the moment, and what its core wants.
struct Contender {
  int id = 0;
  int starts = 0;
  std::unique_ptr<ElectionSteps> steps;
  ElectionIdentity identity;
  Duration boot_offset{0};
  Duration wall_offset{0};
  Duration paused_until{0};
  int request = 0;  // the one that is open
  bool is_open = false;
  int wake = 0;  // earlier wake-ups do not count
  bool has_won = false;
  std::map<std::uint64_t, std::vector<PodRef>> lists;  // that the core asked for, by revision
  std::uint64_t applied = 0;                           // the latest of them that was ever stored
};

class World {
 public:
  explicit World(const WorldPlan& plan) : plan_(plan), fates_(plan.fates) {
    // As the chart makes it.
    stored_ = ElectionLease{};
    stored_->ns = Namespace("locks");
    stored_->name = ElectionLeaseName(SchedulerName("gpu-scheduler"));
    Stamp(LeaseUid("uid-0"));
    for (std::size_t i = 0; i < plan.processes; ++i) {
      Contender contender;
      contender.id = static_cast<int>(i);
      contender.boot_offset = seconds(1000) * static_cast<int>(i + 1);
      contender.wall_offset = seconds(3600) * (fates_.Below(5) - 2);
      contenders_.push_back(std::move(contender));
    }
  }

  WorldReport Run() {
    for (Contender& contender : contenders_) Start(contender);
    At(seconds(1), [this] { Disturb(); });
    while (!queue_.empty() && report_.violation.empty() && queue_.begin()->first < kEnd) {
      auto next = queue_.extract(queue_.begin());
      now_ = next.key();
      next.mapped()();
      CheckBeliefs();
    }
    report_.has_leader = Leaders() == 1;
    return report_;
  }

 private:
  using Action = std::function<void()>;

  void At(Duration time, Action action) { queue_.emplace(time, std::move(action)); }
  void After(Duration wait, Action action) { At(now_ + wait, std::move(action)); }
  void Violated(const std::string& what) {
    if (report_.violation.empty()) report_.violation = PrintDuration(now_) + ": " + what;
  }

  // ---- the processes

  void Start(Contender& who) {
    ++who.starts;
    who.identity = {PodUid("pod-" + std::to_string(who.id)), "start-" + std::to_string(who.starts)};
    const ElectionSelf self{.identity = who.identity,
                            .pod = PodName("scheduler-" + std::to_string(who.id)),
                            .scheduler = SchedulerName("gpu-scheduler"),
                            .lock_namespace = Namespace("locks")};
    who.steps = std::make_unique<ElectionSteps>(self, plan_.options);
    who.is_open = who.has_won = false;
    who.lists.clear();
    who.applied = 0;
    Poke(who);
  }

  [[nodiscard]] Duration BootOf(const Contender& who) const { return now_ + who.boot_offset; }
  [[nodiscard]] ElectionTime TimeOf(const Contender& who) const {
    return {.since_boot = BootOf(who),
            .wall = TimePoint(seconds(1'700'000'000) + now_ + who.wall_offset)};
  }

  // Runs `action` once the process is awake, unless it was started anew meanwhile.
  void WhenAwake(Contender& who, Action action) {
    const int starts = who.starts;
    if (now_ < who.paused_until) {
      At(who.paused_until, [this, &who, starts, action = std::move(action)] {
        if (who.starts == starts) WhenAwake(who, action);
      });
      return;
    }
    action();
  }

  void Poke(Contender& who) {
    WhenAwake(who, [this, &who] { DoPoke(who); });
  }

  void DoPoke(Contender& who) {
    ElectionStep step = who.steps->Advance(TimeOf(who));
    for (const auto& event : step.events) Hear(who, event);
    if (step.request) SendOverNetwork(who, *step.request, step.timeout);
    const int starts = who.starts;
    if (who.steps->is_over()) {
      After(milliseconds(100) + fates_.UpTo(seconds(20)), [this, &who, starts] {
        if (who.starts == starts) Start(who);
      });
      return;
    }
    if (step.request || step.wake_at == Duration::max()) return;
    const int wake = ++who.wake;
    At(step.wake_at - who.boot_offset, [this, &who, wake, starts] {
      if (who.wake == wake && who.starts == starts) Poke(who);
    });
  }

  void Hear(Contender& who, const model::Event& event) {
    if (const auto* won = std::get_if<model::LeadershipWon>(&event)) HearWon(who, *won);
    if (const auto* listed = std::get_if<model::InFlightListed>(&event)) {
      ++report_.listed;
      if (who.applied < listed->revision) Violated("a list is reported that was never stored");
    }
  }

  void HearWon(Contender& who, const model::LeadershipWon& won) {
    ++report_.wins;
    who.has_won = true;
    is_known_to_[who.identity] = won.is_list_known;
    const auto* taken = std::get_if<std::vector<PodRef>>(&takeovers_[who.identity]);
    if (won.is_list_known != (taken != nullptr)) Violated("known is not what was taken over");
    if (taken != nullptr && *taken != won.unresolved) Violated("pods are missing after a takeover");
    const int starts = who.starts;
    After(milliseconds(300),
          [this, &who, starts, pods = won.unresolved] { Commit(who, starts, pods); });
  }

  // The core: some pods are done, others begin; what is inherited stays until it is done.
  void Commit(Contender& who, int starts, std::vector<PodRef> pods) {
    if (who.starts != starts || who.steps->is_over()) return;
    if (now_ < who.paused_until) {
      At(who.paused_until, [this, &who, starts, pods] { Commit(who, starts, pods); });
      return;
    }
    const std::uint64_t revision = who.lists.size() + 1;
    std::erase_if(pods, [this](const PodRef&) { return fates_.Below(3) != 1; });
    pods.push_back(
        {Namespace("team"), PodName("p" + std::to_string(revision)),
         PodUid(who.identity.pod.text() + who.identity.process + "-" + std::to_string(revision))});
    who.lists[revision] = pods;
    who.steps->SetInFlight({.revision = revision, .pods = pods});
    Poke(who);
    After(milliseconds(200) + fates_.UpTo(seconds(6)),
          [this, &who, starts, pods] { Commit(who, starts, pods); });
  }

  // ---- the network

  void SendOverNetwork(Contender& who, const ElectionRequest& request, Duration timeout) {
    const int number = ++who.request;
    who.is_open = true;
    const int starts = who.starts;
    const ElectionIdentity writer = who.identity;
    const auto answer = [this, &who, number, starts](const ElectionAnswer& got) {
      WhenAwake(who, [this, &who, number, starts, got] {
        if (who.starts != starts || who.request != number || !who.is_open) return;
        who.is_open = false;
        who.steps->Answer(TimeOf(who), got);
        DoPoke(who);
      });
    };
    const auto execute = [this, &who, writer, request] { return Execute(who, writer, request); };
    After(timeout, [answer] { answer({.lease = {}, .reason = "timeout", .retry_after = {}}); });
    const Duration there = milliseconds(1) + fates_.UpTo(milliseconds(20));
    const Duration back = milliseconds(1) + fates_.UpTo(milliseconds(20));
    const auto usual = [&](Duration way_there, Duration way_back) {
      After(way_there, [this, execute, answer, way_back] {
        const ElectionAnswer got = execute();
        After(way_back, [answer, got] { answer(got); });
      });
    };
    switch (fates_.Below(12)) {
      default: return usual(there, back);
      case 5:  // slow
        return usual(fates_.UpTo(seconds(6)), fates_.UpTo(seconds(6)));
      case 6:  // turned away
        return After(there, [answer] {
          answer({.outcome = WriteOutcome::kNotExecuted,
                  .lease = {},
                  .reason = "429",
                  .retry_after = {}});
        });
      case 7:  // the answer is lost
        return After(there, [execute] { (void)execute(); });
      case 8:  // comes when nobody waits any more
        return After(fates_.UpTo(seconds(48)), [execute] { (void)execute(); });
      case 9:  // never arrives
        return;
      case 10:  // comes again, long after
        After(fates_.UpTo(seconds(48)), [execute] { (void)execute(); });
        return usual(there, back);
      case 11:  // comes twice, and only the second is answered
        After(there, [execute] { (void)execute(); });
        return usual(there + back, back);
    }
  }

  // ---- the API server

  ElectionAnswer Execute(Contender& who, const ElectionIdentity& writer,
                         const ElectionRequest& request) {
    if (const auto* create = std::get_if<CreateElection>(&request)) {
      if (stored_) return Only(WriteOutcome::kAlreadyExists);
      Store(who, writer, create->lease);
      Stamp(NewUid());
      return Stored();
    }
    if (const auto* put = std::get_if<PutElection>(&request)) return Put(who, writer, put->lease);
    return stored_ ? Stored() : Only(WriteOutcome::kNotFound);
  }

  ElectionAnswer Put(Contender& who, const ElectionIdentity& writer, const ElectionLease& lease) {
    const LeaseUid uid = stored_ ? stored_->uid : LeaseUid();
    const bool is_same = lease.uid == uid || plan_.preconditions == Preconditions::kUidIgnored;
    if (!is_same) return Only(WriteOutcome::kConflict);
    const bool is_current = !stored_ || lease.resource_version == stored_->resource_version ||
                            plan_.preconditions == Preconditions::kVersionIgnored;
    if (!is_current) return Only(WriteOutcome::kConflict);
    const LeaseUid kept = stored_ ? uid : NewUid();
    Store(who, writer, lease);
    Stamp(kept);
    return Stored();
  }

  // Everything goes through the text that a real server would get.
  void Store(Contender& who, const ElectionIdentity& writer, const ElectionLease& lease) {
    const auto written = DecodeElectionLease(EncodeElectionLease(lease));
    GS_CHECK(written.ok());
    const auto* pods = std::get_if<std::vector<PodRef>>(&written->in_flight);
    const bool is_own = writer == last_writer_;
    if (stored_ && !is_own && written->in_flight != stored_->in_flight) {
      Violated("a takeover changed the list");
    }
    if (!is_own) takeovers_[writer] = written->in_flight;
    const bool is_current = writer == who.identity;
    if (is_list_lost_ && pods != nullptr) {
      // Only one who knew that it was lost, and has dealt with all pods since.
      const auto winner = is_known_to_.find(writer);
      if (winner == is_known_to_.end() || winner->second) Violated("a lost list became readable");
      is_list_lost_ = false;
    }
    if (is_current && pods != nullptr) {
      for (const auto& [revision, list] : who.lists) {
        if (list == *pods) who.applied = revision;
      }
    }
    stored_ = *written;
    last_writer_ = writer;
  }

  void Stamp(LeaseUid uid) {
    stored_->uid = std::move(uid);
    stored_->resource_version = ResourceVersion(std::to_string(++versions_));
  }
  LeaseUid NewUid() { return LeaseUid("uid-" + std::to_string(++uids_)); }
  [[nodiscard]] ElectionAnswer Stored() const {
    return {.outcome = WriteOutcome::kDone, .lease = stored_, .reason = {}, .retry_after = {}};
  }
  static ElectionAnswer Only(WriteOutcome outcome) {
    return {.outcome = outcome, .lease = {}, .reason = "no", .retry_after = {}};
  }

  // ---- people and machines

  void Disturb() {
    After(milliseconds(500) + fates_.UpTo(seconds(8)), [this] {
      if (!fates_.is_exhausted()) Disturb();
    });
    Contender& who =
        contenders_[static_cast<std::size_t>(fates_.Below(static_cast<int>(contenders_.size())))];
    switch (fates_.Below(10)) {
      default: return;
      case 1:  // paused, or the machine sleeps: its boot clock goes on
      case 2:
      case 3: who.paused_until = now_ + fates_.UpTo(seconds(32)); return;
      case 4:  // crashes; what it sent is still under way
        who.steps.reset();
        return Start(who);
      case 5:  // the Lease is deleted by hand
        if (stored_ && stored_->transitions == 0) return;
        if (stored_) is_list_lost_ = true;
        stored_.reset();
        last_writer_ = {};
        return;
      case 6:  // a label is edited
        if (stored_) Stamp(stored_->uid);
        return;
      case 7:  // a clean end
        return WhenAwake(who, [this, &who] { EndWell(who); });
      case 8:  // the wall clock is set
        who.wall_offset = seconds(1000) * (fates_.Below(9) - 4);
        return;
    }
  }

  void EndWell(Contender& who) {
    if (who.steps->is_over()) return;
    if (who.has_won) {
      const std::uint64_t revision = who.lists.size() + 1;
      who.lists[revision] = {};
      who.steps->SetInFlight({.revision = revision, .pods = {}});
    }
    who.steps->Resign();
    Poke(who);
  }

  // ---- what must hold

  [[nodiscard]] int Leaders() const {
    return static_cast<int>(std::count_if(
        contenders_.begin(), contenders_.end(),
        [this](const Contender& who) { return BootOf(who) < who.steps->leads_until(); }));
  }
  void CheckBeliefs() {
    if (Leaders() > 1) Violated("two lead at the same time");
  }

  const WorldPlan& plan_;
  Fates fates_;
  WorldReport report_;
  Duration now_{0};
  std::multimap<Duration, Action> queue_;
  std::vector<Contender> contenders_;

  std::optional<ElectionLease> stored_;
  int versions_ = 0;
  int uids_ = 0;
  ElectionIdentity last_writer_;
  std::map<ElectionIdentity, InFlightList> takeovers_;  // the list each process found
  std::map<ElectionIdentity, bool> is_known_to_;        // what each leader was told
  bool is_list_lost_ = false;  // with a deleted Lease, until somebody has dealt with all pods
};

}  // namespace

WorldReport RunWorld(const WorldPlan& plan) { return World(plan).Run(); }

}  // namespace gs::kube
