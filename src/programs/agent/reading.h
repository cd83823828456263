// Reading: looks at the GPUs of all nodes of this process, and asks the kubelet, again and again
// and when somebody wants a look, on a thread of its own. Drivers that tell of faults by themselves
// are listened to on another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "adapters/gpu/device_source.h"
#include "adapters/runtime/log.h"
#include "adapters/runtime/mailbox.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/agent/event.h"

namespace gs::agent {

// Null: the node has no GPUs, as far as anybody can tell.
using OpenSource = std::function<Result<std::unique_ptr<gpu::DeviceSource>>()>;
using AskKubelet = std::function<Result<std::vector<Held>>()>;

struct NodeDevices {
  NodeName node;
  OpenSource open;
  AskKubelet ask_kubelet = nullptr;  // null: there is none to be asked
};

class Reading {
 public:
  // Called on the threads of this object; must not block.
  using Sink = std::function<void(const NodeName& node, Event event)>;

  // Begins at once. Whatever `sink` refers to must outlive it.
  Reading(std::vector<NodeDevices> nodes, Duration every, Sink sink, runtime::Logger log);
  // Waits for a reading that is running.
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  Reading(Reading&&) = delete;
  Reading& operator=(Reading&&) = delete;

  // From any thread. What is read from now on carries the number.
  void LookAgain(const NodeName& node, std::uint64_t look);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Node {
    NodeDevices devices;
    std::shared_ptr<gpu::DeviceSource> source;  // null: not open
    std::uint64_t look = 0;
    Instant due;
    std::string trouble;          // with the GPUs, as it was logged
    std::string kubelet_trouble;  // likewise
  };
  struct Wish {
    NodeName node;
    std::uint64_t look = 0;  // 0: just look
  };

  void Run(const std::stop_token& stop);
  void Take(const Wish& wish, Instant now);
  void Read(Node& node);
  [[nodiscard]] Event ReadDevices(Node& node);
  [[nodiscard]] Event ReadHeld(Node& node);
  void Listen(const NodeName& node, std::shared_ptr<gpu::DeviceSource> source);
  void NoteTrouble(std::string& known, const std::string& now, const NodeName& node,
                   std::string_view what) const;

  const Duration every_;
  const Sink sink_;
  const runtime::Logger log_;
  runtime::Mailbox<Wish> wishes_;
  std::map<NodeName, Node> nodes_;       // used by the thread only
  std::vector<std::jthread> listeners_;  // likewise
  std::jthread thread_;                  // last: it uses all the others
};

}  // namespace gs::agent
