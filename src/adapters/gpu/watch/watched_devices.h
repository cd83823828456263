// WatchedDevices: a source that answers in time, around one whose driver may hang.
//
// What it calls runs on threads of its own. A call that takes longer than the patience is answered
// with an error and left alone, and so is every call until it comes back: one thread hangs, never
// two. A thread that hangs for good is left to the end of the process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/gpu/device_source.h"
#include "base/time.h"

namespace gs::gpu {

class WatchedDevices final : public DeviceSource {
 public:
  // What the source is doing, for the message about a call that hangs: "nvmlInit_v2". Called while
  // it hangs, from another thread.
  using Doing = std::function<std::string()>;

  WatchedDevices(std::shared_ptr<DeviceSource> source, Duration patience, Doing doing);
  WatchedDevices(const WatchedDevices&) = delete;
  WatchedDevices& operator=(const WatchedDevices&) = delete;
  WatchedDevices(WatchedDevices&&) = delete;
  WatchedDevices& operator=(WatchedDevices&&) = delete;
  ~WatchedDevices() override;

  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] Result<model::DeviceReport> Read() override;
  [[nodiscard]] bool has_faults() const override { return source_->has_faults(); }
  [[nodiscard]] Result<std::vector<model::GpuFault>> WaitFaults(Duration timeout) override;

 private:
  template <class T>
  class Lane;

  std::shared_ptr<DeviceSource> source_;
  Duration patience_;
  Doing doing_;
  std::unique_ptr<Lane<model::DeviceReport>> reading_;
  std::unique_ptr<Lane<std::vector<model::GpuFault>>> faults_;
};

}  // namespace gs::gpu
