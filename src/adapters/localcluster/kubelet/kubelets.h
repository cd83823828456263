// Kubelets: the simulated nodes of a cluster. Pods that are bound to one of them are admitted,
// started, restarted, stopped and reported on as a kubelet does; containers are real programs where
// the table of known programs has one, and pretend to run otherwise.
//
// One thread calls everything; programs end on others, which is told through `wake`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/kubelet/admission.h"
#include "adapters/localcluster/kubelet/child_processes.h"
#include "adapters/localcluster/kubelet/container_outputs.h"
#include "adapters/localcluster/kubelet/known_program.h"
#include "adapters/localcluster/kubelet/node_description.h"
#include "adapters/localcluster/kubelet/pod_run.h"
#include "adapters/localcluster/kubelet/pod_status.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

struct KubeletOptions {
  std::vector<NodeDescription> nodes;
  Times times;
  std::vector<KnownProgram> programs;
  std::string path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
};

class Kubelets {
 public:
  // Which objects there are now.
  using FindObject = std::function<std::optional<Json>(std::string_view kind, std::string_view ns,
                                                       std::string_view name)>;
  // Namespace and name of a pod that wants to be synced; called on any thread, must not block.
  using Wake = std::function<void(const std::string& ns, const std::string& pod)>;

  // All must outlive it. Programs that end afterwards wake nobody.
  Kubelets(KubeletOptions options, const runtime::Clock& clock, ChildProcesses& children,
           ContainerOutputs& outputs, FindObject find, Wake wake);
  ~Kubelets();
  Kubelets(const Kubelets&) = delete;
  Kubelets& operator=(const Kubelets&) = delete;
  Kubelets(Kubelets&&) = delete;
  Kubelets& operator=(Kubelets&&) = delete;

  [[nodiscard]] bool IsOurs(std::string_view node) const;
  [[nodiscard]] std::vector<std::string> NodeNames() const;

  // Registers a node, or tells that it is alive.
  [[nodiscard]] Reconciled SyncNode(const std::string& node);
  // A node that stops says nothing any more and does nothing for its pods.
  void StopNode(const std::string& node) { stopped_.insert(node); }
  void StartNode(const std::string& node) { stopped_.erase(node); }

  // Brings a pod of ours forward. Called when it changed, when its time has come, and when woken.
  [[nodiscard]] Reconciled SyncPod(const Json& pod);
  // The pod is no longer in the API.
  void Forget(const std::string& ns, const std::string& pod);

 private:
  // Ends of programs, told by other threads. Shared, because they may come late.
  struct Inbox;
  struct Container {
    std::optional<ChildProcesses::Id> child;  // a real one
    std::optional<TimePoint> pretends_until;  // one that pretends
    std::shared_ptr<ContainerLog> log;
  };
  struct OurPod {
    std::string uid;
    std::string node;
    model::Resources asked;
    PodRun run;
    PodAddresses addresses;
    std::vector<Container> containers;
    int address = 0;          // the last part of its own
    bool holds_room = false;  // counted in what its node has given away
    bool is_over = false;
  };
  // What pods hold of a node. Kept up to date, so that a pod costs the same on a full cluster.
  struct NodeUse {
    model::ResourceSum resources;
    std::int64_t pods = 0;
    std::set<int> addresses;
  };
  using PodKey = std::pair<std::string, std::string>;

  [[nodiscard]] const NodeDescription& Describe(std::string_view node) const;
  [[nodiscard]] OurPod& Take(const Json& pod, TimePoint now, Reconciled& reconciled);
  [[nodiscard]] std::optional<Refusal> Admit(const OurPod& pod) const;
  void TakeRoom(OurPod& pod, const NodeDescription& node, const Json& object);
  void GiveRoomBack(OurPod& pod);
  void NoteEnds(const Json& object, OurPod& pod, TimePoint now);
  void Obey(const Json& object, OurPod& pod, TimePoint now, Reconciled& reconciled);
  void StartContainer(const Json& object, OurPod& pod, std::size_t index, TimePoint now,
                      Reconciled& reconciled);
  Result<void> StartProgram(const Json& object, OurPod& pod, std::size_t index,
                            const Program& program);
  void Pretend(const Json& object, OurPod& pod, std::size_t index, TimePoint now);
  void StopContainer(const Json& object, OurPod& pod, std::size_t index, TimePoint now,
                     Reconciled& reconciled);
  // False if it is a real program, whose end comes later.
  bool KillContainer(OurPod& pod, std::size_t index, TimePoint now);
  [[nodiscard]] Result<Variables> EnvironmentOf(const Json& object, const OurPod& pod,
                                                std::size_t index) const;
  void Say(Reconciled& reconciled, const Json& object, const OurPod& pod, std::string_view reason,
           std::string message, bool is_warning = false) const;

  const KubeletOptions options_;
  const runtime::Clock& clock_;
  ChildProcesses& children_;
  ContainerOutputs& outputs_;
  const FindObject find_;
  std::shared_ptr<Inbox> inbox_;
  std::map<PodKey, OurPod> pods_;
  std::map<std::string, NodeUse> uses_;  // by node
  std::set<std::string> stopped_;
};

}  // namespace gs::localcluster
