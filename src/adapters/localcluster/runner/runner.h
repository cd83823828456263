// Runner: what makes the embedded cluster alive. One thread watches the store, calls the
// controllers and the simulated kubelets for what has changed or whose time has come, and carries
// out what they want. Nothing is polled.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/localcluster/kubelet/kubelets.h"
#include "adapters/localcluster/runner/cluster_objects.h"
#include "adapters/localcluster/runner/controller_calls.h"
#include "adapters/localcluster/runner/owner_index.h"
#include "adapters/localcluster/runner/work_queue.h"
#include "adapters/runtime/log.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

struct RunnerOptions {
  KubeletOptions kubelets;
  std::string ca_certificate;  // of the API server, for the ConfigMap every namespace has
  // Events are most of what a large cluster holds: four per pod, each for an hour.
  bool writes_events = true;
  Duration node_grace = std::chrono::seconds(50);  // without a heartbeat, a node is lost
};

class Runner {
 public:
  // Makes the first namespaces and nodes, and then runs until it is destroyed. All must outlive it;
  // the threads are those that real programs report on.
  Runner(RunnerOptions options, Objects& objects, runtime::IoThreads& threads, runtime::Logger log);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  Runner(Runner&&) = delete;
  Runner& operator=(Runner&&) = delete;

  // From any thread.
  [[nodiscard]] const ContainerOutputs& outputs() const { return outputs_; }
  // A node that stops is as one whose machine lost its power.
  void StopNode(const std::string& node) GS_EXCLUDES(bell_->mutex);
  void StartNode(const std::string& node) GS_EXCLUDES(bell_->mutex);

 private:
  // How other threads reach ours. Shared with the store, whose last call may come late.
  struct Bell {
    runtime::Mutex mutex;
    runtime::Condition rung;
    bool is_rung GS_GUARDED_BY(mutex) = false;
    std::set<std::pair<std::string, std::string>> pods GS_GUARDED_BY(mutex);  // woken by programs
    std::vector<std::pair<std::string, bool>> nodes GS_GUARDED_BY(mutex);     // started or not
    void Ring() GS_EXCLUDES(mutex);
  };

  void Run(const std::stop_token& stop);
  void WaitForWork(const std::stop_token& stop);
  void TakeMessages();
  void ReadChanges();
  void ReadAll(const std::string& resource);
  void See(const std::string& resource, const Change& change);
  void QueueOwn(const ObjectKey& key);
  void QueueAll(Controller controller, const std::string& resource, const std::string& ns);
  void QueueVolumes(const ObjectKey& key, const Json& object);
  void QueueOwners(const ObjectKey& key, const Json& object);
  void QueueGarbage(const ObjectKey& key, const Json& object, bool has_new_owners, bool is_gone);
  void Queue(Controller controller, const ObjectKey& key);

  void Work(const Task& task);
  // False if one of them was refused.
  bool Apply(const Task& task, const Json* object, const Reconciled& wanted);
  void TellOfFailure(const Json& object, const Write& write, const Status& why);
  [[nodiscard]] TimePoint now() const { return objects_.clock().WallTime(); }

  const RunnerOptions options_;
  ClusterObjects objects_;
  const runtime::Logger log_;
  std::shared_ptr<Bell> bell_;
  ContainerOutputs outputs_;
  ChildProcesses children_;
  Kubelets kubelets_;
  WorkQueue queue_;
  OwnerIndex owners_;
  ControllerCalls calls_;
  std::map<std::string, Revision> read_;  // how far each resource has been read
  std::optional<Revision> seen_;          // of the store, when all had been read
  std::set<std::string> dying_;           // namespaces that are being deleted
  Store::WakeHandle wake_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace gs::localcluster
