#include "adapters/kube/fence/test_world.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "adapters/kube/fence/test_judge.h"
#include "base/check.h"

namespace gs::kube {
namespace {

using model::InFlightPod;
using model::ListInFlight;
using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Nothing happens after kCalm; by kAwake all are awake; at kEnd everything has to be well.
constexpr Duration kCalm = seconds(60);
constexpr Duration kAwake = seconds(90);
constexpr Duration kEnd = seconds(150);
constexpr Duration kRecently = seconds(10);
const Namespace kFenceNamespace("kube-system");

class Fates {
 public:
  explicit Fates(const std::vector<std::uint32_t>& fates) : fates_(fates) {}
  // 0 where nothing special is to happen.
  int Below(int limit) {
    if (next_ >= fates_.size()) return 0;
    return static_cast<int>(fates_[next_++] % static_cast<std::uint32_t>(limit));
  }
  Duration UpTo(Duration longest) { return longest / 16 * Below(17); }
  void End() { next_ = fates_.size(); }
  [[nodiscard]] bool is_exhausted() const { return next_ >= fates_.size(); }

 private:
  const std::vector<std::uint32_t>& fates_;
  std::size_t next_ = 0;
};

// One scheduler: its process of the moment, and what its core wants.
struct Contender {
  int id = 0;
  SchedulerName scheduler{};
  int starts = 0;
  std::unique_ptr<FenceSteps> steps{};
  FenceIdentity identity{};
  Duration boot_offset{0};
  Duration wall_offset{0};
  Duration paused_until{0};
  int request = 0;  // the one that is open
  bool is_open = false;
  int wake = 0;  // earlier wake-ups do not count

  // The core's.
  bool has_won = false;
  bool must_settle = false;
  bool has_settled = false;
  std::map<std::uint64_t, ListInFlight> lists{};  // that it asked for, by revision
  std::vector<InFlightPod> mine{};
  ResourceVersion settled{};
  model::FenceSeen others{};
};

class World {
 public:
  explicit World(const WorldPlan& plan)
      : plan_(plan), fates_(plan.fates), judge_(plan.options.lease) {
    for (std::size_t i = 0; i < plan.releases * plan.processes; ++i) {
      Contender contender;
      contender.id = static_cast<int>(i);
      contender.scheduler = NameOf(i % plan.releases);
      contender.boot_offset = seconds(1000) * static_cast<int>(i + 1);
      contender.wall_offset = seconds(3600) * (fates_.Below(5) - 2);
      contenders_.push_back(std::move(contender));
    }
    if (plan.beginning == Beginning::kFence) MakeFence();
    if (plan.beginning == Beginning::kEarlier) MakeEarlier();
  }

  WorldReport Run() {
    for (Contender& contender : contenders_) Start(contender);
    At(seconds(1), [this] { Disturb(); });
    At(kCalm, [this] { fates_.End(); });
    while (!queue_.empty() && judge_.violation().empty() && queue_.begin()->first < kEnd) {
      auto next = queue_.extract(queue_.begin());
      now_ = next.key();
      next.mapped()();
      CheckBeliefs();
    }
    report_.leaders = Leaders().size();
    CheckEnd();
    if (!judge_.violation().empty()) {
      report_.violation = PrintDuration(now_) + ": " + judge_.violation();
    }
    return report_;
  }

 private:
  using Action = std::function<void()>;

  static SchedulerName NameOf(std::size_t release) {
    return SchedulerName("gpu-" + std::to_string(release));
  }
  static Namespace NamespaceOf(const SchedulerName& scheduler) {
    return Namespace("of-" + scheduler.text());
  }

  void At(Duration time, Action action) { queue_.emplace(time, std::move(action)); }
  void After(Duration wait, Action action) { At(now_ + wait, std::move(action)); }

  // ---- what there is at the beginning

  void MakeFence() {
    FenceLease fence;
    fence.metadata = {
        .ns = kFenceNamespace, .name = LeaseName(std::string(kFenceName)), .uid = NewUid()};
    for (std::size_t i = 0; i < plan_.releases; ++i) {
      fence.records[RecordKey(NameOf(i))].scheduler = NameOf(i);
    }
    Keep(fence);
  }

  void MakeEarlier() {
    for (std::size_t i = 0; i < plan_.releases; ++i) {
      EarlierElection lease;
      lease.metadata = {.ns = NamespaceOf(NameOf(i)),
                        .name = EarlierElectionName(NameOf(i)),
                        .uid = NewUid(),
                        .annotations = {{"gpu.scheduling/in-flight-format", "1"},
                                        {"gpu.scheduling/in-flight",
                                         R"([{"namespace":"team","name":"a","uid":"u-a"}])"}}};
      lease.duration = seconds(15);
      if (i == 0) lease.holder = "a-pod-of-the-version-before";
      KeepEarlier(lease);
    }
    RenewEarlier(0, fates_.UpTo(seconds(48)));
  }

  // Its leader writes until it dies, or finds that it has lost.
  void RenewEarlier(int write, Duration until) {
    EarlierElection& lease = earlier_.at(NamespaceOf(NameOf(0)));
    if (IsTombstone(lease)) return;
    earlier_renewed_ = now_;
    lease.metadata.annotations["gpu.scheduling/write"] = std::to_string(write);
    KeepEarlier(lease);
    if (now_ < until) After(seconds(2), [this, write, until] { RenewEarlier(write + 1, until); });
  }

  // ---- the processes

  void Start(Contender& who) {
    ++who.starts;
    who.identity = {PodUid("pod-" + std::to_string(who.id)),
                    "start-" + std::to_string(who.id) + "-" + std::to_string(who.starts)};
    const FenceSelf self{.identity = who.identity,
                         .pod = PodName("scheduler-" + std::to_string(who.id)),
                         .scheduler = who.scheduler,
                         .release_namespace = NamespaceOf(who.scheduler),
                         .fence_namespace = kFenceNamespace};
    who.steps = std::make_unique<FenceSteps>(self, plan_.options);
    who.is_open = who.has_won = who.must_settle = who.has_settled = false;
    who.lists.clear();
    who.mine.clear();
    who.settled = {};
    who.others = {};
    Poke(who);
  }

  [[nodiscard]] Duration BootOf(const Contender& who) const { return now_ + who.boot_offset; }
  [[nodiscard]] FenceTime TimeOf(const Contender& who) const {
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
    FenceStep step = who.steps->Advance(TimeOf(who));
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
    if (const auto* seen = std::get_if<model::FenceSeen>(&event)) who.others = *seen;
    if (const auto* listed = std::get_if<model::InFlightListed>(&event)) HearListed(who, *listed);
  }

  void HearWon(Contender& who, const model::LeadershipWon& won) {
    ++report_.wins;
    judge_.Won(who.identity, won);
    who.has_won = true;
    who.must_settle = !won.is_list_known || !won.unresolved.empty();
    who.mine = won.inherited;
    who.settled = won.settled;
    const int starts = who.starts;
    After(milliseconds(300), [this, &who, starts] { Commit(who, starts); });
  }

  void HearListed(Contender& who, const model::InFlightListed& listed) {
    ++report_.listed;
    listed_at_[who.scheduler] = now_;
    report_.refused += static_cast<int>(listed.refused.size());
    judge_.Listed(who.identity, who.lists.at(listed.revision), listed);
    std::erase_if(who.mine, [&listed](const InFlightPod& entry) {
      return std::ranges::find(listed.refused, entry.pod.uid) != listed.refused.end();
    });
  }

  // The core: some pods are done, others begin; what is inherited stays until it is done. Where
  // nothing special is to happen, a pod is done after a moment.
  void Commit(Contender& who, int starts) {
    if (who.starts != starts || who.steps->is_over()) return;
    if (now_ < who.paused_until) {
      At(who.paused_until, [this, &who, starts] { Commit(who, starts); });
      return;
    }
    Want(who);
    Poke(who);
    if (fates_.is_exhausted() && !who.mine.empty()) {
      return After(milliseconds(50), [this, &who, starts] { Commit(who, starts); });
    }
    After(seconds(1) + fates_.UpTo(seconds(6)), [this, &who, starts] { Commit(who, starts); });
  }

  void Want(Contender& who) {
    const std::uint64_t revision = who.lists.size() + 1;
    const std::size_t before = who.mine.size();
    std::erase_if(who.mine, [this](const InFlightPod&) { return fates_.Below(3) != 1; });
    // Each of them may have been bound, and has been seen.
    if (who.mine.size() < before) who.settled = ResourceVersion(std::to_string(++pods_version_));
    const bool was_usual = fates_.is_exhausted() && before > 0;
    if (!who.must_settle && !was_usual) who.mine.push_back(NewEntry(who, revision));
    ListInFlight list{.revision = revision,
                      .in_flight = who.mine,
                      .view = ResourceVersion(std::to_string(pods_version_ - fates_.Below(3))),
                      .settled = who.settled,
                      .is_settling = who.must_settle};
    if (std::exchange(who.must_settle, false)) who.has_settled = true;
    for (const auto& other : who.others.others) {
      if (other.is_silent) list.dropped.push_back(other.in_flight);
    }
    who.lists[revision] = list;
    who.steps->SetInFlight(list);
  }

  InFlightPod NewEntry(const Contender& who, std::uint64_t revision) {
    const std::string name = who.identity.process + "-" + std::to_string(revision);
    // Where nothing special is to happen, nobody wants what others have.
    const int gpu = fates_.is_exhausted() ? 10 + who.id : fates_.Below(6);
    return {.pod = {Namespace("team"), PodName(name), PodUid("u-" + name)},
            .noted = ResourceVersion(std::to_string(pods_version_)),
            .gpus = {NodeName("node-a"), {GpuId(gpu)}}};
  }

  // ---- the network

  [[nodiscard]] TestWriter WriterOf(const Contender& who) const {
    TestWriter writer{.scheduler = who.scheduler, .identity = who.identity};
    if (who.lists.empty()) return writer;
    writer.list = who.lists.rbegin()->second;
    writer.is_settling = who.has_settled;
    return writer;
  }

  void SendOverNetwork(Contender& who, const FenceRequest& request, Duration timeout) {
    const int number = ++who.request;
    who.is_open = true;
    const int starts = who.starts;
    const auto answer = [this, &who, number, starts](const FenceAnswer& got) {
      WhenAwake(who, [this, &who, number, starts, got] {
        if (who.starts != starts || who.request != number || !who.is_open) return;
        who.is_open = false;
        who.steps->Answer(TimeOf(who), got);
        DoPoke(who);
      });
    };
    const auto execute = [this, writer = WriterOf(who), request] {
      return Execute(writer, request);
    };
    After(timeout, [answer] { answer({.reason = "timeout"}); });
    const Duration there = milliseconds(1) + fates_.UpTo(milliseconds(20));
    const Duration back = milliseconds(1) + fates_.UpTo(milliseconds(20));
    const auto usual = [&](Duration way_there, Duration way_back) {
      After(way_there, [this, execute, answer, way_back] {
        const FenceAnswer got = execute();
        After(way_back, [answer, got] { answer(got); });
      });
    };
    switch (fates_.Below(24)) {
      default: return usual(there, back);
      case 5:  // slow
        return usual(fates_.UpTo(seconds(6)), fates_.UpTo(seconds(6)));
      case 6:  // turned away
        return After(there, [answer] { answer(Only(WriteOutcome::kNotExecuted)); });
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
      case 12:  // not allowed, for a moment
        return After(there, [answer] { answer(Only(WriteOutcome::kRefused)); });
    }
  }

  // ---- the API server

  FenceAnswer Execute(const TestWriter& writer, const FenceRequest& request) {
    if (const auto* earlier = std::get_if<EarlierRequest>(&request)) {
      return ExecuteEarlier(NamespaceOf(writer.scheduler), *earlier);
    }
    if (const auto* create = std::get_if<CreateFence>(&request)) {
      if (stored_) return Only(WriteOutcome::kAlreadyExists);
      return Store(writer, create->fence, NewUid());
    }
    if (const auto* put = std::get_if<PutFence>(&request)) return Put(writer, put->fence);
    return stored_ ? Stored() : Only(WriteOutcome::kNotFound);
  }

  FenceAnswer Put(const TestWriter& writer, const FenceLease& fence) {
    const LeaseUid uid = stored_ ? stored_->metadata.uid : LeaseUid();
    const bool is_same =
        fence.metadata.uid == uid || plan_.preconditions == Preconditions::kUidIgnored;
    if (!is_same) return Only(WriteOutcome::kConflict);
    const bool is_current = !stored_ ||
                            fence.metadata.resource_version == stored_->metadata.resource_version ||
                            plan_.preconditions == Preconditions::kVersionIgnored;
    if (!is_current) return Only(WriteOutcome::kConflict);
    return Store(writer, fence, stored_ ? uid : NewUid());
  }

  FenceAnswer Store(const TestWriter& writer, FenceLease fence, LeaseUid uid) {
    fence.metadata.uid = std::move(uid);
    const std::optional<FenceLease> before = stored_;
    Keep(std::move(fence));
    judge_.Wrote(writer, before, *stored_, now_);
    if (before) report_.dropped += DroppedBetween(*before, *stored_, writer);
    return Stored();
  }

  static int DroppedBetween(const FenceLease& before, const FenceLease& after,
                            const TestWriter& writer) {
    std::size_t dropped = 0;
    for (const auto& [key, record] : before.records) {
      const auto found = after.records.find(key);
      if (key == RecordKey(writer.scheduler) || found == after.records.end()) continue;
      dropped += record.in_flight.size() - found->second.in_flight.size();
    }
    return static_cast<int>(dropped);
  }

  // Everything goes through the text that a real server would get.
  void Keep(FenceLease fence) {
    fence.metadata.resource_version = ResourceVersion(std::to_string(++versions_));
    auto written = DecodeFenceLease(EncodeFenceLease(fence));
    GS_CHECK(written.ok());
    stored_ = *std::move(written);
  }
  [[nodiscard]] FenceAnswer Stored() const {
    return {.outcome = WriteOutcome::kDone, .fence = stored_};
  }
  LeaseUid NewUid() { return LeaseUid("uid-" + std::to_string(++uids_)); }
  static FenceAnswer Only(WriteOutcome outcome) { return {.outcome = outcome, .reason = "no"}; }

  FenceAnswer ExecuteEarlier(const Namespace& ns, const EarlierRequest& request) {
    const auto found = earlier_.find(ns);
    if (const auto* create = std::get_if<CreateEarlier>(&request)) {
      if (found != earlier_.end()) return Only(WriteOutcome::kAlreadyExists);
      EarlierElection lease = create->lease;
      lease.metadata.uid = NewUid();
      return KeepEarlier(lease);
    }
    if (found == earlier_.end()) return Only(WriteOutcome::kNotFound);
    const auto* put = std::get_if<PutEarlier>(&request);
    if (put == nullptr) return {.outcome = WriteOutcome::kDone, .earlier = found->second};
    const LeaseMetadata& current = found->second.metadata;
    const bool is_current = put->lease.metadata.uid == current.uid &&
                            put->lease.metadata.resource_version == current.resource_version;
    if (!is_current) return Only(WriteOutcome::kConflict);
    const bool was_alive = found->second.holder == "a-pod-of-the-version-before" &&
                           now_ < earlier_renewed_ + found->second.duration;
    if (was_alive) judge_.Violated("the Lease of a living leader of the version before was taken");
    if (ListOf(put->lease) != ListOf(found->second)) judge_.Violated("its list was lost");
    return KeepEarlier(put->lease);
  }
  FenceAnswer KeepEarlier(EarlierElection lease) {
    lease.metadata.resource_version = ResourceVersion(std::to_string(++versions_));
    earlier_[lease.metadata.ns] = lease;
    return {.outcome = WriteOutcome::kDone, .earlier = lease};
  }

  // ---- people and machines

  void Disturb() {
    After(milliseconds(500) + fates_.UpTo(seconds(8)), [this] {
      if (!fates_.is_exhausted()) Disturb();
    });
    Contender& who =
        contenders_[static_cast<std::size_t>(fates_.Below(static_cast<int>(contenders_.size())))];
    switch (fates_.Below(18)) {
      default: return;
      case 1:  // paused, or the machine sleeps: its boot clock goes on
      case 2:
      case 3: return Pause(who, fates_.UpTo(seconds(32)));
      case 4:  // crashes; what it sent is still under way
        who.steps.reset();
        return Start(who);
      case 5:  // the fence is deleted by hand
        stored_.reset();
        return judge_.Edited(stored_, now_);
      case 6:  // a label is edited
        if (stored_) Keep(*stored_);
        return;
      case 7:  // a clean end
        return WhenAwake(who, [this, &who] { EndWell(who); });
      case 8:  // the wall clock is set
        who.wall_offset = seconds(1000) * (fates_.Below(9) - 4);
        return;
      case 9:  // the record is damaged by hand
        return Damage(RecordKey(who.scheduler), "{" + std::to_string(++damages_));
      case 10:  // the record is removed by hand
        return Damage(RecordKey(who.scheduler), {});
      case 11:  // the whole release stops
        for (Contender& each : contenders_) {
          if (each.scheduler == who.scheduler) Pause(each, seconds(60));
        }
        return;
    }
  }

  void Pause(Contender& who, Duration time) { who.paused_until = std::min(now_ + time, kAwake); }

  // As an edit leaves it: whoever reads it next finds it so.
  void Damage(const std::string& key, const std::optional<std::string>& text) {
    if (!stored_ || !stored_->records.contains(key)) return;
    FenceLease fence = *stored_;
    if (text) {
      fence.records.erase(key);
      fence.unreadable[key] = *text;
      Keep(std::move(fence));
    } else {
      fence.metadata.resource_version = ResourceVersion(std::to_string(++versions_));
      std::string json = EncodeFenceLease(fence);
      json.replace(json.find(key), key.size(), "renamed/by-somebody");
      auto written = DecodeFenceLease(json);
      GS_CHECK(written.ok() && written->unsettled.has_value());
      stored_ = *std::move(written);
      stored_->metadata.annotations.erase("renamed/by-somebody");
    }
    judge_.Edited(stored_, now_);
  }

  void EndWell(Contender& who) {
    if (who.steps->is_over()) return;
    if (who.has_won) {
      const std::uint64_t revision = who.lists.size() + 1;
      who.mine.clear();
      who.settled = ResourceVersion(std::to_string(++pods_version_));
      who.lists[revision] = {.revision = revision, .settled = who.settled};
      who.steps->SetInFlight(who.lists[revision]);
    }
    who.steps->Resign();
    Poke(who);
  }

  // ---- what must hold

  using Lead = std::pair<SchedulerName, int>;  // a release, and the judge's epoch
  [[nodiscard]] std::multiset<Lead> Leaders() const {
    std::multiset<Lead> leaders;
    for (const Contender& who : contenders_) {
      if (BootOf(who) >= who.steps->leads_until()) continue;
      leaders.emplace(who.scheduler, judge_.EpochOf(who.identity));
    }
    return leaders;
  }
  void CheckBeliefs() {
    const std::multiset<Lead> leaders = Leaders();
    const bool are_many = std::ranges::any_of(
        leaders, [&leaders](const Lead& lead) { return leaders.count(lead) > 1; });
    if (are_many) judge_.Violated("two lead one release at the same time");
  }

  // Whatever has happened, every release goes on.
  void CheckEnd() {
    for (std::size_t i = 0; i < plan_.releases; ++i) {
      const bool is_well = listed_at_[NameOf(i)] + kRecently > kEnd;
      if (!is_well) judge_.Violated(NameOf(i).text() + " lists nothing any more");
    }
    if (report_.leaders != plan_.releases) judge_.Violated("a release is not led");
  }

  const WorldPlan& plan_;
  Fates fates_;
  TestJudge judge_;
  WorldReport report_;
  Duration now_{0};
  std::multimap<Duration, Action> queue_;
  std::vector<Contender> contenders_;

  std::map<SchedulerName, Duration> listed_at_;

  std::optional<FenceLease> stored_;
  std::map<Namespace, EarlierElection> earlier_;
  Duration earlier_renewed_{0};
  int versions_ = 0;
  int uids_ = 0;
  int damages_ = 0;  // each another text: an edit twice to the same one is as a deletion
  int pods_version_ = 10;
};

}  // namespace

WorldReport RunWorld(const WorldPlan& plan) { return World(plan).Run(); }

}  // namespace gs::kube
