// Random histories of a small cluster: pods, nodes, claims and agents come, change and go, requests
// are turned away, held or lose their answers, schedulers die, what they are told is late, the
// fence is deleted, and another release commits pods on the same nodes.
//
//   - At no moment do two pods hold one GPU that may not share it; processes that a pod leaves
//     behind where an agent reports them hold it too. At none are pods that a device plugin serves
//     beside pods with exact ids.
//   - When the trouble is over, everything comes to rest, no pod waits that fits somewhere (but on
//     a node that is kept for another one), the Leases are those of the GPUs that our pods use, and
//     every claim says which pods hold GPUs through it.
//   - The same history gives the same commands.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "core/model/allocation.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"
#include "tests/scenarios/cluster/cluster.h"
#include "tests/scenarios/cluster/kubelets.h"
#include "tests/scenarios/cluster/neighbour.h"

namespace gs::scenarios {
namespace {

namespace names = model::names;
using model::AllocationMode;
using model::Kind;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kGpus = 3;
constexpr std::int32_t kShareCap = 4;
constexpr std::int64_t kParts = 4;  // of GPUs, that a plugin counts on each node
const std::string kPart = "nvidia.com/gpu.shared";
const std::array kNodes{NodeName("n0"), NodeName("n1"), NodeName("n2")};
const Namespace kTeam("team");
const SchedulerName kOurs("gpu-scheduler");

// Three numbers, read by the Historian as it needs them.
struct Op {
  unsigned what = 0;
  unsigned a = 0;
  unsigned b = 0;
};

void showValue(const Op& op, std::ostream& out) {
  out << '{' << op.what << ',' << op.a << ',' << op.b << '}';
}

rc::Gen<std::vector<Op>> Histories() {
  const auto number = rc::gen::inRange<unsigned>(0, 250);
  return rc::gen::container<std::vector<Op>>(rc::gen::build<Op>(
      rc::gen::set(&Op::what, number), rc::gen::set(&Op::a, number), rc::gen::set(&Op::b, number)));
}

using Holdings = std::map<std::pair<NodeName, GpuId>, std::vector<model::Allocation>>;

void Add(Holdings& holdings, const model::Allocation& allocation) {
  for (const GpuId gpu : allocation.gpus.ids) {
    holdings[{allocation.gpus.node, gpu}].push_back(allocation);
  }
}

Holdings HoldingsOf(const ApiServer& api, const LeftBehind& left = {}) {
  Holdings holdings;
  for (const auto& [uid, each] : left) Add(holdings, each.had);
  for (const auto& [key, pod] : api.pods()) {
    if (const auto allocation = GpusOf(pod)) Add(holdings, *allocation);
  }
  return holdings;
}

bool MayShare(const model::Allocation& a, const model::Allocation& b) {
  if (a.mode != b.mode) return false;
  if (a.mode == AllocationMode::kMap) {
    return !a.controller.empty() && a.controller == b.controller;
  }
  return a.mode == AllocationMode::kShared;
}

// Lives through a history.
class Historian {
 public:
  Historian() {
    for (const NodeName& node : kNodes) cluster_.api().Put(NodeOf(node, 0));
    for (std::int32_t count = 1; count <= 3; ++count) cluster_.api().Put(ClaimOf(count));
    kubelets_.Report(kNodes[0], MachineOf(kGpus));
    kubelets_.Report(kNodes[1], MachineOf(kGpus));
    cluster_.Sync();
    cluster_.Lead();
  }

  void Do(const Op& op) {
    kubelets_.EndOldProcesses();
    switch (op.what % 25) {
      case 0:
      case 1:
      case 2:
      case 3: return Create(op);
      case 4: return WithPod(op, [this](const model::Pod& pod) { kubelets_.Delete(pod); });
      case 5:
        return WithPod(op, [&](const model::Pod& pod) { kubelets_.Vanish(MaybeRunning(pod, op)); });
      case 6:
        return WithPod(
            op, [this](const model::Pod& pod) { kubelets_.End(pod, model::PodPhase::kSucceeded); });
      case 7: return WithPod(op, [this](const model::Pod& pod) { kubelets_.Start(pod); });
      case 8:
        return WithPod(
            op, [this](const model::Pod& pod) { kubelets_.End(pod, model::PodPhase::kFailed); });
      case 9: return cluster_.api().Put(NodeOf(NodeAt(op.a), op.b));
      case 10: return cluster_.api().RemoveNode(NodeAt(op.a));
      case 11: return ChangeMachine(op);
      case 12: return ChangeClaim(op);
      case 13:
        return cluster_.Meet(kWrites[op.a % kWrites.size()], kTroubles[op.b % kTroubles.size()]);
      case 14: return cluster_.Release();
      case 15: return cluster_.Deliver(kKinds[op.a % kKinds.size()], op.b % 4U);
      case 16: return Tell(op);
      case 17: return Pass(op);
      case 18: return Settle(op);
      case 19: return neighbour_.List(op.a, NodeAt(op.b));
      case 20: return neighbour_.Bind(op.a, cluster_.now());
      case 21: return TroubleOther(op);
      case 22:
        return WithPod(
            op, [&](const model::Pod& pod) { kubelets_.DeclareFailed(MaybeRunning(pod, op)); });
      case 23: return kubelets_.EndProcesses(op.a);
      default: return Trouble(op);
    }
  }

  // Everything arrives, and time passes.
  [[nodiscard]] bool ComeToRest() {
    while (!left().empty()) kubelets_.EndProcesses(0);
    cluster_.ForgetFates();
    cluster_.Release();
    neighbour_.Resolve(cluster_.now());
    return cluster_.Wait(minutes(11));
  }

  [[nodiscard]] Cluster& cluster() { return cluster_; }
  [[nodiscard]] const LeftBehind& left() const { return kubelets_.left(); }

 private:
  static constexpr std::array kKinds{Kind::kPod, Kind::kNode, Kind::kClaim, Kind::kLease,
                                     Kind::kMachine};
  inline static const std::array<std::string, 7> kWrites{
      "CreateLease", "UpdateLease", "DeleteLease",     "BindPod",
      "TouchPod",    "LookUpPod",   "WriteClaimStatus"};
  static constexpr std::array kTroubles{Fate::kConflict,    Fate::kNotExecuted,
                                        Fate::kUnknownDone, Fate::kUnknownNotDone,
                                        Fate::kLate,        Fate::kHeld};

  static const NodeName& NodeAt(unsigned number) { return kNodes[number % kNodes.size()]; }

  static model::Node NodeOf(const NodeName& name, unsigned variant) {
    model::Node node;
    node.name = name;
    node.is_unschedulable = variant % 5 == 4;
    const std::int64_t gpus = variant % 7 == 6 ? 0 : kGpus;
    node.allocatable = {
        .cpu_milli = 64000, .memory_bytes = 0, .gpus = gpus, .others = {{kPart, kParts}}};
    node.allocatable_pods = variant % 11 == 10 ? 1 : 110;
    node.gpu_capacity = kGpus;
    return node;
  }
  // Claim 3 shares one GPU.
  static model::Claim ClaimOf(std::int32_t number) {
    model::Claim claim;
    claim.ns = kTeam;
    claim.name = ClaimName("c" + std::to_string(number));
    claim.devices.count = number == 3 ? 1 : number;
    if (number == 3) claim.devices.exclusivity = model::Exclusivity::kShared;
    return claim;
  }

  void Create(const Op& op) {
    model::Pod pod;
    pod.ref = {kTeam, PodName("p" + std::to_string(++created_)), {}};
    pod.scheduler = kOurs;
    pod.created = cluster_.now();
    pod.priority = static_cast<std::int32_t>(op.b % 3);
    if (op.what % 4 == 3) {
      pod.scheduler = neighbour_.name();
      pod.requests.gpus = op.a % 3;
      return cluster_.api().Put(std::move(pod));
    }
    const unsigned owner = op.b % 4;
    if (owner < 2) {
      pod.controller =
          model::Controller{"ReplicaSet", ControllerUid("set-" + std::to_string(owner))};
    }
    const unsigned variant = op.a / 8;
    switch (op.a % 8) {
      case 0: break;  // no GPUs
      case 1: pod.requests.gpus = 1 + variant % 3; break;
      case 2: pod.requests.others[kPart] = 1 + variant % 3; break;
      case 3:
      case 4:
      case 5: pod.annotations.Set(names::kClaim, "c" + std::to_string(1 + variant % 3)); break;
      default: pod.annotations.Set(names::kMap, "0=" + MapOf(variant)); break;
    }
    cluster_.api().Put(std::move(pod));
  }
  static std::string MapOf(unsigned variant) {
    const std::string first = std::to_string(variant % 3);
    const std::string second = variant % 2 == 0 ? "" : "," + std::to_string((variant + 1) % 3);
    return NodeAt(variant / 3).text() + ":" + first + second;
  }

  template <class Change>
  void WithPod(const Op& op, Change change) {
    const auto& pods = cluster_.api().pods();
    if (pods.empty()) return;
    change(model::Pod(
        std::next(pods.begin(), static_cast<std::ptrdiff_t>(op.a % pods.size()))->second));
  }
  model::Pod MaybeRunning(const model::Pod& pod, const Op& op) {
    if (op.b % 3 > 0) kubelets_.Start(pod);
    return *cluster_.api().FindPod({pod.ref.ns, pod.ref.name});
  }
  void ChangeMachine(const Op& op) {
    if (op.b % 4 == 0) return kubelets_.RemoveAgent(NodeAt(op.a));
    kubelets_.Report(NodeAt(op.a), MachineOf(op.b % 7));
  }
  // One of its GPUs is ill, if there is one of that id.
  static model::Machine MachineOf(unsigned ill) {
    model::Machine machine;
    for (std::int32_t id = 0; id < kGpus; ++id) {
      model::GpuDevice device;
      device.id = GpuId(id);
      device.uuid = GpuUuid("G" + std::to_string(id));
      if (ill == static_cast<unsigned>(id)) device.health = model::Health::kUnhealthy;
      machine.devices.push_back(std::move(device));
    }
    machine.links = model::LinkMatrix(machine.devices.size());
    return machine;
  }
  void ChangeClaim(const Op& op) {
    const std::int32_t number = 1 + static_cast<std::int32_t>(op.a % 3);
    if (op.b % 3 == 0) return cluster_.api().RemoveClaim(kTeam, ClaimOf(number).name);
    cluster_.api().Put(ClaimOf(number));
  }
  void Tell(const Op& op) {
    if (op.a % 2 == 0) cluster_.DeliverAnswer();
    cluster_.Run();
  }
  void Pass(const Op& op) {
    cluster_.Pass(seconds(op.a % 20));
    cluster_.Run();
  }
  void Settle(const Op& op) {
    if (op.a % 2 == 0) (void)cluster_.Settle();
  }
  void TroubleOther(const Op& op) {
    switch (op.a % 4) {
      case 0: return neighbour_.Resolve(cluster_.now());
      case 1: return cluster_.api().fence().SetSilent(op.b % 3 != 0);
      default: return cluster_.Meet("ListInFlight", Fate::kHeld);
    }
  }
  void Trouble(const Op& op) {
    const auto& leases = cluster_.api().leases();
    if (op.a % 3 != 0 || leases.empty()) {
      if (op.a % 3 != 1) return;
      cluster_.StartScheduler();
      cluster_.Sync();
      if (op.b % 4 == 0) cluster_.api().fence().Delete();
      return cluster_.Lead();
    }
    const auto lease = std::next(leases.begin(), static_cast<std::ptrdiff_t>(op.b % leases.size()));
    cluster_.api().RemoveLease(LeaseName(lease->first));
  }

  Cluster cluster_;
  Kubelets kubelets_{cluster_};
  Neighbour neighbour_{cluster_.api(), kubelets_, SchedulerName("neighbour")};
  int created_ = 0;
};

// Two that may not, or too many that may.
std::string DoubleIn(const ApiServer& api, const LeftBehind& left) {
  for (const auto& [gpu, holders] : HoldingsOf(api, left)) {
    const std::string where = gpu.first.text() + ":" + std::to_string(gpu.second.number());
    for (std::size_t i = 1; i < holders.size(); ++i) {
      if (!MayShare(holders[0], holders[i])) {
        return where + " is held by " + holders[0].pod.text() + " and " + holders[i].pod.text();
      }
    }
    const bool is_shared = holders.front().mode == AllocationMode::kShared;
    if (is_shared && holders.size() > kShareCap) return where + " is shared by too many";
  }
  return {};
}

// A plugin's pods and direct ones of ours on one node, or a plugin's and what is left of a direct
// one.
std::string MixedIn(const ApiServer& api, const LeftBehind& left) {
  std::map<NodeName, std::set<bool>> kinds;
  for (const auto& [key, pod] : api.pods()) {
    const bool is_counted = model::HasGpuResource(pod.requests);
    if (IsLive(pod) && (is_counted || GpusOf(pod))) kinds[pod.node].insert(is_counted);
  }
  for (const auto& [uid, each] : left) {
    if (!each.is_counted) kinds[each.had.gpus.node].insert(false);
  }
  for (const auto& [node, kind] : kinds) {
    if (kind.size() == 2) return "both kinds of pods are on " + node.text();
  }
  return {};
}

// Whether a pod fits on a node, worked out from what is written in the API server alone.
class Fitter {
 public:
  explicit Fitter(const ApiServer& api) : api_(api), holdings_(HoldingsOf(api)) {}

  // On a node that is not kept for another pod.
  [[nodiscard]] bool FitsSomewhere(const model::Pod& pod, const decide::Keep& keep) const {
    return std::any_of(api_.nodes().begin(), api_.nodes().end(), [&](const auto& entry) {
      const bool is_kept = keep.reservation() && keep.reservation()->node == entry.first &&
                           keep.reservation()->pod.uid != pod.ref.uid;
      return !is_kept && Fits(pod, entry.second);
    });
  }

 private:
  [[nodiscard]] bool Fits(const model::Pod& pod, const model::Node& node) const {
    std::int64_t pods = 0;
    std::int64_t counted = 0;
    std::int64_t parts = 0;
    bool has_direct = false;
    for (const auto& [key, other] : api_.pods()) {
      if (!IsLive(other) || other.node != node.name) continue;
      ++pods;
      counted += other.requests.gpus;
      parts += other.requests.others.Of(kPart);
      has_direct = has_direct || (!model::HasGpuResource(other.requests) && GpusOf(other));
    }
    if (node.is_unschedulable || pods >= node.allocatable_pods) return false;
    const std::string* map = model::FindAnnotation(pod, names::kMap);
    const std::string* claim = model::FindAnnotation(pod, names::kClaim);
    if (pod.requests.gpus > 0) {
      return !has_direct && node.allocatable.gpus - counted >= pod.requests.gpus &&
             Free(node, AllocationMode::kExclusive) >= pod.requests.gpus;
    }
    if (pod.requests.others.Of(kPart) > 0) {
      return !has_direct && kParts - parts >= pod.requests.others.Of(kPart);
    }
    if (map != nullptr) return counted + parts == 0 && FitsMap(pod, *map, node);
    if (claim == nullptr) return true;
    if (counted + parts > 0) return false;
    if (*claim == "c3") return Free(node, AllocationMode::kShared) >= 1;
    return Free(node, AllocationMode::kExclusive) >= (*claim == "c1" ? 1 : 2);
  }
  [[nodiscard]] bool IsHealthy(const model::Node& node, GpuId gpu) const {
    const auto machine = api_.machines().find(node.name);
    return machine == api_.machines().end() ||
           machine->second.devices[static_cast<std::size_t>(gpu.number())].health ==
               model::Health::kHealthy;
  }
  [[nodiscard]] std::int64_t Free(const model::Node& node, AllocationMode mode) const {
    const bool has_machine = api_.machines().contains(node.name);
    const std::int64_t gpus =
        has_machine ? kGpus : std::min(node.gpu_capacity, node.allocatable.gpus);
    std::int64_t free = 0;
    for (std::int32_t id = 0; id < gpus; ++id) {
      const auto held = holdings_.find({node.name, GpuId(id)});
      const bool has_room =
          held == holdings_.end() ||
          (mode == AllocationMode::kShared &&
           held->second.front().mode == AllocationMode::kShared && held->second.size() < kShareCap);
      if (has_room && IsHealthy(node, GpuId(id))) ++free;
    }
    return free;
  }
  [[nodiscard]] bool FitsMap(const model::Pod& pod, const std::string& map,
                             const model::Node& node) const {
    const auto asked = model::ParseNodeGpus(map.substr(2));
    if (asked->node != node.name) return false;
    return std::all_of(asked->ids.begin(), asked->ids.end(), [&](GpuId gpu) {
      const auto held = holdings_.find({node.name, gpu});
      if (!IsHealthy(node, gpu)) return false;
      return held == holdings_.end() ||
             (pod.controller && held->second.front().mode == AllocationMode::kMap &&
              held->second.front().controller == pod.controller->uid);
    });
  }

  const ApiServer& api_;
  const Holdings holdings_;
};

std::set<std::string> LeasesOf(const ApiServer& api) {
  std::set<std::string> leases;
  for (const auto& [name, lease] : api.leases()) {
    for (const auto& holder : lease.holders)
      leases.insert(name.text() + " " + holder.pod.uid.text());
  }
  return leases;
}

// By pods of ours.
std::set<std::string> HeldIn(const ApiServer& api) {
  std::set<std::string> held;
  std::set<PodUid> ours;
  for (const auto& [key, pod] : api.pods()) {
    if (pod.scheduler == kOurs) ours.insert(pod.ref.uid);
  }
  for (const auto& [gpu, holders] : HoldingsOf(api)) {
    for (const auto& holder : holders) {
      if (!ours.contains(holder.pod)) continue;
      held.insert(model::LeaseNameOf(gpu.first, gpu.second).text() + " " + holder.pod.text());
    }
  }
  return held;
}

// What a claim should say, worked out from the pods that are written in the API server.
struct ClaimView {
  std::set<std::string> holders;  // "uid node:ids"
  std::size_t waiting = 0;

  friend bool operator==(const ClaimView&, const ClaimView&) = default;
};

ClaimView ViewOf(const ClaimName& claim, const ApiServer& api) {
  ClaimView view;
  for (const auto& [key, pod] : api.pods()) {
    const auto allocation = GpusOf(pod);
    if (allocation && allocation->claim == claim) {
      view.holders.insert(pod.ref.uid.text() + " " + ToString(allocation->gpus));
    }
    const std::string* named = model::FindAnnotation(pod, names::kClaim);
    const bool waits = named != nullptr && *named == claim.text() && !pod.is_bound() &&
                       pod.scheduled.status == model::ConditionStatus::kFalse;
    if (waits) ++view.waiting;
  }
  return view;
}

// What it does say.
ClaimView ViewIn(const model::ClaimStatus& status) {
  ClaimView view;
  for (const auto& allocation : status.allocations) {
    view.holders.insert(allocation.uid.text() + " " + ToString(allocation.gpus));
  }
  const auto wait = status.message.find(" wait");
  if (wait == std::string::npos) return view;
  const auto number = status.message.rfind("pod", wait) - 1;
  const auto start = status.message.find_last_not_of("0123456789", number - 1);
  view.waiting = std::stoul(status.message.substr(start + 1));
  return view;
}

std::string WrongClaimIn(const ApiServer& api) {
  for (const auto& [key, claim] : api.claims()) {
    if (!claim.status) return claim.name.text() + " says nothing";
    const bool is_held = !ViewOf(claim.name, api).holders.empty();
    const bool is_right = ViewOf(claim.name, api) == ViewIn(*claim.status) &&
                          is_held == (claim.status->phase == model::ClaimPhase::kAllocated);
    if (!is_right) return claim.name.text() + " says " + ToString(*claim.status);
  }
  return {};
}

std::string Print(const std::vector<model::Command>& commands) {
  return text::Join(commands, "\n", [](const model::Command& each) { return ToString(each); });
}

bool HasClaim(const std::string& claim, const Cluster& cluster) {
  return cluster.scheduler().cache().FindClaim(kTeam, ClaimName(claim)) != nullptr;
}

RC_GTEST_PROP(Schedule, NoGpuIsGivenTwiceAndNobodyWaitsInVain, ()) {
  const std::vector<Op> history = *Histories();
  Historian historian;
  const ApiServer& api = historian.cluster().api();
  for (const Op& op : history) {
    historian.Do(op);
    RC_ASSERT(DoubleIn(api, historian.left()) == "");
    RC_ASSERT(MixedIn(api, historian.left()) == "");
  }
  RC_ASSERT(historian.ComeToRest());
  RC_ASSERT(DoubleIn(api, historian.left()) == "");
  RC_ASSERT(MixedIn(api, historian.left()) == "");
  RC_ASSERT(LeasesOf(api) == HeldIn(api));
  RC_ASSERT(WrongClaimIn(api) == "");
  const Fitter fitter(api);
  for (const auto& [key, pod] : api.pods()) {
    if (pod.is_bound() || pod.is_terminating || pod.scheduler != kOurs) continue;
    const std::string* claim = model::FindAnnotation(pod, names::kClaim);
    if (claim != nullptr && !HasClaim(*claim, historian.cluster())) continue;
    RC_LOG() << pod.ref.name << ": " << pod.scheduled.message.text() << "\n"
             << Print(historian.cluster().sent());
    RC_ASSERT(!fitter.FitsSomewhere(pod, historian.cluster().scheduler().keep()));
  }
}

RC_GTEST_PROP(Schedule, TheSameHistoryGivesTheSameCommands, ()) {
  const std::vector<Op> history = *Histories();
  std::vector<std::string> runs;
  for (int run = 0; run < 2; ++run) {
    Historian historian;
    for (const Op& op : history) historian.Do(op);
    (void)historian.ComeToRest();
    runs.push_back(Print(historian.cluster().sent()));
  }
  RC_ASSERT(runs[0] == runs[1]);
}

// The first property must be able to fail: where the API server forgets what the protocol rests on,
// some history gives a GPU away twice.
template <class Break>
bool FindsADouble(Break breaks) {
  std::mt19937 random(1);
  const auto number = [&random] { return static_cast<unsigned>(random() % 250); };
  for (int run = 0; run < 20000; ++run) {
    Historian historian;
    breaks(historian.cluster().api());
    for (int i = 0; i < 100; ++i) {
      historian.Do({number(), number(), number()});
      if (!DoubleIn(historian.cluster().api(), {}).empty()) return true;
    }
  }
  return false;
}

TEST(SchedulePropertyItself, FindsADoubleAllocationWhereVersionsAreIgnored) {
  EXPECT_TRUE(FindsADouble([](ApiServer& api) { api.IgnoreVersionsOfBindings(); }));
}

TEST(SchedulePropertyItself, FindsADoubleAllocationWhereTheListsOfOthersAreIgnored) {
  EXPECT_TRUE(FindsADouble([](ApiServer& api) { api.fence().IgnoreOthers(); }));
}

}  // namespace
}  // namespace gs::scenarios
