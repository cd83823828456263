// Random histories of pods that wait for volumes: claims are bound late or never, writes meet
// conflicts, come late or lose their answers, drivers give up, and schedulers die.
//
//   - A pod is bound only when its claim is, and where the claim's volume can be reached.
//   - A volume that was kept for a claim is never given to another.
//   - When the trouble is over and the volume controller has done its part, nobody waits whose
//     volume could be made.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/cluster/cluster.h"

namespace gs::scenarios {
namespace {

using model::Kind;
using std::chrono::minutes;
using std::chrono::seconds;

const Namespace kTeam("team");
constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr unsigned kNodeCount = 3;
constexpr unsigned kClaimCount = 4;  // the odd ones have volumes made for them

struct Op {
  unsigned what = 0;
  unsigned a = 0;
  unsigned b = 0;
};

void showValue(const Op& op, std::ostream& out) {
  out << '{' << op.what << ',' << op.a << ',' << op.b << '}';
}

rc::Gen<std::vector<Op>> Histories() {
  const auto number = rc::gen::inRange<unsigned>(0, 240);
  return rc::gen::container<std::vector<Op>>(rc::gen::build<Op>(
      rc::gen::set(&Op::what, number), rc::gen::set(&Op::a, number), rc::gen::set(&Op::b, number)));
}

std::string ClaimName(unsigned number) { return "c" + std::to_string(number % kClaimCount); }
bool IsMade(const std::string& claim) { return (claim.back() - '0') % 2 == 1; }

class Historian {
 public:
  Historian() {
    for (unsigned i = 0; i < kNodeCount; ++i) cluster_.api().Put(NodeOf(i));
    for (const bool is_made : {false, true}) {
      cluster_.api().Put(
          model::StorageClass{.name = is_made ? "made" : "local",
                              .provisioner = is_made ? "d.example" : "kubernetes.io/no-provisioner",
                              .waits_for_consumer = true,
                              .allowed_topologies = {}});
    }
    for (unsigned i = 0; i < kClaimCount; ++i) PutClaim(ClaimName(i));
    cluster_.Sync();
    cluster_.Lead();
  }

  void Do(const Op& op) {
    switch (op.what % 12) {
      case 0:
      case 1: return CreatePod(op);
      case 2: return DeletePod(op);
      case 3: return PutVolume(op);
      case 4:
      case 5: return cluster_.api().BindVolume(kTeam, ClaimName(op.a));
      case 6: return GiveUp(ClaimName(op.a));
      case 7:
        return cluster_.Meet(kWrites[op.a % kWrites.size()], kTroubles[op.b % kTroubles.size()]);
      case 8: return cluster_.Release();
      case 9: return cluster_.Deliver(model::kAllKinds[op.a % model::kAllKinds.size()], op.b % 4U);
      case 10: return Turn(op);
      default: return op.a % 4 == 0 ? NewLeader() : (void)cluster_.Settle();
    }
  }

  // Everything arrives, and the volume controller does what it is asked for.
  [[nodiscard]] bool ComeToRest() {
    cluster_.ForgetFates();
    cluster_.Release();
    for (unsigned round = 0; round < 3; ++round) {
      if (!cluster_.Wait(minutes(11))) return false;
      for (unsigned i = 0; i < kClaimCount; ++i) cluster_.api().BindVolume(kTeam, ClaimName(i));
    }
    return cluster_.Wait(minutes(11));
  }

  [[nodiscard]] Cluster& cluster() { return cluster_; }

 private:
  inline static const std::array<std::string, 4> kWrites{"SelectNode", "ReserveVolume", "BindPod",
                                                         "TouchPod"};
  static constexpr std::array kTroubles{Fate::kConflict,    Fate::kNotExecuted,
                                        Fate::kUnknownDone, Fate::kUnknownNotDone,
                                        Fate::kLate,        Fate::kHeld};

  static model::Node NodeOf(unsigned number) {
    model::Node node;
    node.name = NodeName("n" + std::to_string(number));
    node.labels.Set(kHostname, node.name.text());
    node.allocatable.cpu_milli = 64000;
    node.allocatable_pods = 110;
    return node;
  }
  void PutClaim(const std::string& name) {
    model::VolumeClaim claim;
    claim.ns = kTeam;
    claim.name = name;
    claim.storage_class = IsMade(name) ? "made" : "local";
    claim.access_modes = {"ReadWriteOnce"};
    claim.bytes = 10;
    cluster_.api().Put(claim);
  }
  void CreatePod(const Op& op) {
    model::Pod pod;
    pod.ref = {kTeam, PodName("p" + std::to_string(++created_)), {}};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.created = cluster_.now();
    pod.ties->volumes = {{.claim = ClaimName(op.a)}};
    cluster_.api().Put(std::move(pod));
  }
  void DeletePod(const Op& op) {
    const auto& pods = cluster_.api().pods();
    if (pods.empty()) return;
    const auto pod = std::next(pods.begin(), static_cast<std::ptrdiff_t>(op.a % pods.size()));
    cluster_.api().RemovePod(ApiServer::PodKey(pod->first));
  }
  void PutVolume(const Op& op) {
    model::Volume volume;
    volume.name = "v" + std::to_string(++volumes_);
    volume.is_available = true;
    volume.storage_class = "local";
    volume.access_modes = {"ReadWriteOnce"};
    volume.bytes = 10 + op.b % 3;
    volume.node_affinity = {{.labels = {{.key = std::string(kHostname),
                                         .values = {NodeOf(op.a % kNodeCount).name.text()}}},
                             .fields = {}}};
    cluster_.api().Put(volume);
  }
  // A driver that cannot make a volume takes the selection away.
  void GiveUp(const std::string& name) {
    const model::VolumeClaim* claim = cluster_.api().FindVolumeClaim(kTeam, name);
    if (!claim->is_bound && !claim->selected_node.empty()) PutClaim(name);
  }
  void Turn(const Op& op) {
    if (op.a % 2 == 0) cluster_.DeliverAnswer();
    if (op.a % 3 == 0) cluster_.Pass(seconds(op.b));
    cluster_.Run();
  }
  void NewLeader() {
    cluster_.StartScheduler();
    cluster_.Sync();
    cluster_.Lead();
  }

  Cluster cluster_;
  int created_ = 0;
  int volumes_ = 0;
};

// Watches what is written, and remembers.
class Checker {
 public:
  explicit Checker(const ApiServer& api) : api_(api) {}

  // What is wrong with what has happened since the last look; empty: nothing.
  std::string Look() {
    std::string wrong;
    const auto& history = api_.history();
    for (; looked_ < history.size(); ++looked_) {
      if (const auto* seen = std::get_if<model::StorageSeen>(&history[looked_].event)) {
        wrong += LookAt(seen->object);
      }
      if (const auto* seen = std::get_if<model::PodSeen>(&history[looked_].event)) {
        wrong += LookAt(seen->pod);
      }
    }
    return wrong;
  }

 private:
  std::string LookAt(const model::StorageObject& object) {
    if (const auto* claim = std::get_if<model::VolumeClaim>(&object)) claims_[claim->name] = *claim;
    const auto* volume = std::get_if<model::Volume>(&object);
    if (volume == nullptr) return "";
    const std::string before = std::exchange(volumes_[volume->name], *volume).claim_uid;
    const bool is_kept = before.empty() || before == volume->claim_uid;
    return is_kept ? "" : volume->name + " was kept for another claim; ";
  }
  std::string LookAt(const model::Pod& pod) {
    if (!pod.is_bound() || !bound_.insert(pod.ref.uid).second) return "";
    const model::VolumeClaim& claim = claims_.at(pod.ties->volumes.front().claim);
    if (!claim.is_bound) return pod.ref.name.text() + " is bound before its claim; ";
    const auto& terms = volumes_.at(claim.volume).node_affinity.value();
    const std::vector<std::string> reachable{pod.node.text()};
    const bool is_there = terms.front().labels.front().values == reachable;
    return is_there ? "" : pod.ref.name.text() + " is bound where its volume is not; ";
  }

  const ApiServer& api_;
  std::size_t looked_ = 0;
  std::map<std::string, model::VolumeClaim> claims_;
  std::map<std::string, model::Volume> volumes_;
  std::set<PodUid> bound_;
};

RC_GTEST_PROP(Volumes, APodIsBoundWhereItsVolumeIsAndNobodyWaitsInVain, ()) {
  const std::vector<Op> history = *Histories();
  Historian historian;
  const ApiServer& api = historian.cluster().api();
  Checker checker(api);
  for (const Op& op : history) {
    historian.Do(op);
    RC_ASSERT(checker.Look() == "");
  }
  RC_ASSERT(historian.ComeToRest());
  RC_ASSERT(checker.Look() == "");
  for (const auto& [key, pod] : api.pods()) {
    const std::string& claim = pod.ties->volumes.front().claim;
    const bool can_run = IsMade(claim) || api.FindVolumeClaim(kTeam, claim)->is_bound;
    RC_LOG() << pod.ref.name << " waits for " << claim << ": " << pod.scheduled.message.text();
    RC_ASSERT(pod.is_bound() || !can_run);
  }
}

// The property must be able to fail: a claim that is bound elsewhere is noticed.
TEST(VolumesPropertyItself, NoticesAPodThatIsNotWhereItsVolumeIs) {
  Historian historian;
  ApiServer& api = historian.cluster().api();
  Checker checker(api);
  historian.Do({.what = 0, .a = 1});
  ASSERT_TRUE(historian.cluster().Settle());
  EXPECT_EQ(checker.Look(), "");
  model::Pod pod = api.pods().begin()->second;
  pod.node = NodeName("n1");
  api.Put(pod);
  EXPECT_EQ(checker.Look(), "p1 is bound before its claim; ");
}

}  // namespace
}  // namespace gs::scenarios
