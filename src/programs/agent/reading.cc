#include "programs/agent/reading.h"

#include <algorithm>
#include <utility>

namespace gs::agent {
namespace {

constexpr auto kListenTime = std::chrono::seconds(1);
// Between two looks at one node, whatever is wished: the kubelet limits how often it is asked.
constexpr auto kMinGap = std::chrono::milliseconds(100);

}  // namespace

Reading::Reading(std::vector<NodeDevices> nodes, Duration every, Sink sink, runtime::Logger log)
    : every_(every), sink_(std::move(sink)), log_(std::move(log)) {
  for (NodeDevices& devices : nodes) {
    const NodeName name = devices.node;
    nodes_.emplace(name, Node{.devices = std::move(devices),
                              .source = {},
                              .due = {},
                              .trouble = {},
                              .kubelet_trouble = {}});
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Reading::~Reading() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Reading::LookAgain(const NodeName& node, std::uint64_t look) {
  (void)wishes_.Push({node, look});
}

void Reading::Take(const Wish& wish, Instant now) {
  const auto found = nodes_.find(wish.node);
  if (found == nodes_.end()) return;
  Node& node = found->second;
  node.look = std::max(node.look, wish.look);
  node.due = std::min(node.due, std::max(now, node.due - every_ + kMinGap));
}

void Reading::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Instant next = Instant::max();
    for (auto& [name, node] : nodes_) {
      if (stop.stop_requested()) return;
      if (node.due <= std::chrono::steady_clock::now()) Read(node);
      next = std::min(next, node.due);
    }
    const auto wishes = wishes_.Drain(next, stop);
    for (const Wish& wish : wishes) Take(wish, std::chrono::steady_clock::now());
  }
}

void Reading::Read(Node& node) {
  sink_(node.devices.node, ReadDevices(node));
  if (node.devices.ask_kubelet) sink_(node.devices.node, ReadHeld(node));
  node.due = std::chrono::steady_clock::now() + every_;
}

Event Reading::ReadDevices(Node& node) {
  const std::uint64_t look = node.look;
  const NodeName& name = node.devices.node;
  if (!node.source) {
    auto opened = node.devices.open();
    if (!opened || !*opened) {
      const std::string why = opened ? "no driver of GPUs is loaded" : ToString(opened.error());
      // A node without GPUs is nothing to warn of.
      if (!opened) NoteTrouble(node.trouble, why, name, "the GPUs cannot be read");
      return DevicesUnreadable{why};
    }
    node.source = *std::move(opened);
    log_.Info("reading GPUs", {{"node", name.text()}, {"from", node.source->name()}});
    if (node.source->has_faults()) Listen(name, node.source);
  }
  auto report = node.source->Read();
  const std::string why = report ? "" : ToString(report.error());
  NoteTrouble(node.trouble, why, name, "the GPUs cannot be read");
  if (!report) return DevicesUnreadable{why};
  return DevicesRead{look, *std::move(report)};
}

Event Reading::ReadHeld(Node& node) {
  const std::uint64_t look = node.look;
  auto held = node.devices.ask_kubelet();
  const std::string why = held ? "" : ToString(held.error());
  NoteTrouble(node.kubelet_trouble, why, node.devices.node,
              "the kubelet does not tell its devices");
  if (!held) return HeldUnreadable{};
  return HeldRead{look, *std::move(held)};
}

// A fault is told at once, and the GPUs are looked at as well.
void Reading::Listen(const NodeName& node, std::shared_ptr<gpu::DeviceSource> source) {
  listeners_.emplace_back([this, node, source = std::move(source)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto faults = source->WaitFaults(kListenTime);
      if (!faults) {
        (void)runtime::Mailbox<int>().Pop(std::chrono::steady_clock::now() + kListenTime, stop);
        continue;
      }
      for (const model::GpuFault& fault : *faults) sink_(node, FaultSeen{fault});
      if (!faults->empty()) LookAgain(node, 0);
    }
  });
}

// Once per change.
void Reading::NoteTrouble(std::string& known, const std::string& now, const NodeName& node,
                          std::string_view what) const {
  if (known == now) return;
  known = now;
  if (now.empty()) {
    log_.Info("well again", {{"node", node.text()}, {"what", what}});
  } else {
    log_.Warning(what, {{"node", node.text()}, {"why", now}});
  }
}

}  // namespace gs::agent
