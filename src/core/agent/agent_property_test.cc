// Whatever happens to pods, drivers and writes, in whatever order: the report comes to say what is
// so, and it never says too early that a pod has let go of its GPUs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/agent/agent.h"
#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using model::WriteOutcome;
using std::chrono::seconds;
using testing::kNode;
using testing::kNodeUid;
using testing::MachineWith;

constexpr int kPods = 4;

struct SimPod {
  bool exists = false;
  bool is_declared_ended = false;  // and not deleted yet
  bool has_process = false;        // may outlive the pod
  int generation = 0;
  int gpu = 0;
};

// One node, its GPUs, and an API server that may answer late, wrongly or not at all.
class World {
 public:
  World() {
    model::Node node;
    node.uid = kNodeUid;
    Tell(model::NodeSeen{node});
    Tell(model::ViewReached{model::Kind::kPod, ResourceVersion("1")});
    Tell(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")});
  }

  void Step() {
    switch (*rc::gen::inRange(0, 11)) {
      case 0: CreatePod(*rc::gen::inRange(0, kPods)); break;
      case 1: DeletePod(*rc::gen::inRange(0, kPods)); break;
      case 2: EndProcess(*rc::gen::inRange(0, kPods)); break;
      case 3: Read(); break;
      case 4: Tell(DevicesUnreadable{"hangs"}); break;
      case 5:
        Answer(*rc::gen::element(WriteOutcome::kDone, WriteOutcome::kUnknown,
                                 WriteOutcome::kNotExecuted, WriteOutcome::kNotFound));
        break;
      case 6: Pass(*rc::gen::inRange(1, 40)); break;
      case 7: DeleteObject(); break;
      case 8: DeclareEnded(*rc::gen::inRange(0, kPods)); break;
      case 9: SeeAgain(*rc::gen::inRange(0, kPods)); break;
      default: Answer(WriteOutcome::kDone); break;
    }
  }

  // All is well for some minutes.
  void Calm() {
    for (int i = 0; i < 400; ++i) {
      Pass(1);
      if (i % 10 == 0) Read();
      Answer(WriteOutcome::kDone);
    }
  }

  void CheckSettled() {
    RC_ASSERT(stored_.has_value());
    for (int gpu = 0; gpu < 2; ++gpu) {
      std::vector<std::string> users;
      std::vector<PodUid> left;
      for (int i = 0; i < kPods; ++i) {
        if (pods_[i].gpu != gpu) continue;
        if (pods_[i].exists) users.push_back(model::ToString(RefOf(i)));
        if (!pods_[i].exists && pods_[i].has_process) left.push_back(RefOf(i).uid);
      }
      const auto& device = stored_->machine.devices.at(static_cast<std::size_t>(gpu));
      RC_ASSERT(device.in_use_by == users);
      RC_ASSERT(device.residue == left);
    }
    RC_ASSERT(stored_->notes.why_stale.empty());
  }

 private:
  model::PodRef RefOf(int pod) const {
    model::PodRef ref = testing::RefOf(std::to_string(pod));
    ref.uid = PodUid(ref.uid.text() + "-" + std::to_string(pods_[pod].generation));
    return ref;
  }

  void CreatePod(int index) {
    SimPod& pod = pods_[index];
    if (pod.exists || pod.is_declared_ended || pod.has_process) return;
    pod = {.exists = true,
           .is_declared_ended = false,
           .has_process = *rc::gen::arbitrary<bool>(),
           .generation = pod.generation + 1,
           .gpu = index % 2};
    SeeAgain(index);
  }
  void SeeAgain(int index) {
    const SimPod& pod = pods_[index];
    if (!pod.exists && !pod.is_declared_ended) return;
    model::Pod seen = testing::RunningPod(std::to_string(index), {pod.gpu});
    seen.ref = RefOf(index);
    if (pod.is_declared_ended) seen.phase = model::PodPhase::kFailed;
    Tell(model::PodSeen{seen});
  }
  // By somebody else than the kubelet.
  void DeclareEnded(int index) {
    if (!pods_[index].exists) return;
    pods_[index].exists = false;
    pods_[index].is_declared_ended = true;
    SeeAgain(index);
  }
  void DeletePod(int index) {
    if (!pods_[index].exists && !pods_[index].is_declared_ended) return;
    pods_[index].exists = false;
    pods_[index].is_declared_ended = false;
    Tell(model::PodGone{RefOf(index)});
  }
  void EndProcess(int index) { pods_[index].has_process = false; }
  void Read() {
    std::vector<std::vector<PodUid>> running(2);
    for (int i = 0; i < kPods; ++i) {
      if (pods_[i].has_process)
        running[static_cast<std::size_t>(pods_[i].gpu)].push_back(RefOf(i).uid);
    }
    Tell(DevicesRead{look_, testing::ReportOf(MachineWith({"A", "B"}), running)});
  }
  void Pass(int time) {
    now_ += seconds(time);
    Run({});
  }
  void DeleteObject() {
    if (!has_object_) return;
    has_object_ = false;
    stored_.reset();
    Tell(model::MachineGone{kNode, ResourceVersion(std::to_string(++version_))});
  }

  void Tell(Event event) { Run({std::move(event)}); }
  void Run(std::vector<Event> events) {
    for (const Command& command : agent_.RunOnce(events, now_)) {
      if (const auto* look = std::get_if<LookAgain>(&command)) {
        look_ = look->look;
      } else if (!std::holds_alternative<RaiseEvent>(command)) {
        RC_ASSERT(!sent_.has_value());
        sent_ = command;
        if (const auto* write = std::get_if<WriteReport>(&command)) CheckReport(write->report);
      }
    }
  }

  // A process that still runs and whose pod is gone has to be in the report, unless the pod was
  // never told to have run.
  void CheckReport(const model::NodeReport& report) const {
    for (int i = 0; i < kPods; ++i) {
      if (pods_[i].exists || !pods_[i].has_process) continue;
      const auto& left = report.machine.devices.at(static_cast<std::size_t>(pods_[i].gpu)).residue;
      RC_ASSERT(std::count(left.begin(), left.end(), RefOf(i).uid) == 1);
    }
  }

  void Answer(WriteOutcome outcome) {
    if (!sent_) return;
    const Command sent = *std::exchange(sent_, std::nullopt);
    // An answer that does not say so may hide a write that was done.
    const bool is_done = outcome == WriteOutcome::kDone ||
                         (outcome == WriteOutcome::kUnknown && *rc::gen::arbitrary<bool>());
    if (is_done && !Store(sent)) {
      outcome = std::holds_alternative<CreateObject>(sent) ? WriteOutcome::kAlreadyExists
                                                           : WriteOutcome::kNotFound;
    }
    Tell(WriteAnswered{
        outcome, ResourceVersion(outcome == WriteOutcome::kDone ? std::to_string(version_) : "")});
  }
  bool Store(const Command& command) {
    const bool is_create = std::holds_alternative<CreateObject>(command);
    if (is_create == has_object_) return false;
    has_object_ = true;
    ++version_;
    if (const auto* write = std::get_if<WriteReport>(&command)) stored_ = write->report;
    return true;
  }

  Agent agent_{{.node = kNode, .reporter = "me"}};
  TimePoint now_{std::chrono::hours(1000)};
  int version_ = 10;
  std::uint64_t look_ = 0;
  SimPod pods_[kPods];
  std::optional<Command> sent_;
  bool has_object_ = false;
  std::optional<model::NodeReport> stored_;
};

RC_GTEST_PROP(AgentProperty, TheReportComesToSayWhatIsSoAndNeverLetsGoTooEarly, ()) {
  World world;
  const int steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) world.Step();
  world.Calm();
  world.CheckSettled();
}

}  // namespace
}  // namespace gs::agent
