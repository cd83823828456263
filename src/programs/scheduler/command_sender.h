// CommandSender: carries out what the cycle commands, and brings back the answers as events. Every
// command that asks for an answer gets exactly one.
#pragma once

#include <functional>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/fence/fence_owner.h"
#include "adapters/kube/write/answers.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/event_recorder.h"
#include "adapters/runtime/clock.h"
#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "programs/scheduler/observe/write_end.h"

namespace gs::scheduler {

class CommandSender {
 public:
  struct Parts {
    kube::ApiClient& client;
    kube::FenceOwner& fence;
    kube::EventRecorder& events;
    const runtime::Clock& clock;
    kube::CommandContext context;
    std::function<void(model::Kind)> refresh;  // lists that kind again
    // Takes an answer; from any thread, at once.
    std::function<void(model::Event)> answer;
    // Hears how every write ended; from any thread, at once.
    std::function<void(const WriteEnd&)> ended;
  };

  explicit CommandSender(Parts parts) : parts_(std::move(parts)) {}

  // Returns before the answers are there. Requires: not on an I/O thread.
  void Send(const std::vector<model::Command>& commands);

 private:
  void Do(const model::ListInFlight& command);
  void Do(const model::RecordEvent& command);
  void Do(const model::RefreshView& command);
  void Do(const model::LookUpPod& command);
  void Do(const model::AskRevision& command);
  void Do(const model::SetUnschedulable& command);
  // Writes that the promise rests on: only while this process leads.
  template <class Command>
  void Do(const Command& command);
  // Sends it, and tells `then` and whoever hears of writes how it ended.
  template <class Command>
  void Write(const Command& command, std::function<void(const kube::WriteReply&)> then);

  const Parts parts_;
};

}  // namespace gs::scheduler
