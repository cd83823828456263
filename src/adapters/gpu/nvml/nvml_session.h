// NvmlSession: the library from its initialisation to its shutdown, with what registers for faults.
// NvmlSessions: at most one of them at a time, since only a library that nobody uses any more looks
// at the machine anew when it is initialised.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/gpu/nvml/nvml_library.h"
#include "adapters/runtime/mutex.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/device_report.h"

namespace gs::gpu::nvml {

class NvmlSession {
 public:
  // kNotFound: there is no library, or it finds no driver.
  [[nodiscard]] static Result<std::unique_ptr<NvmlSession>> Open(const std::filesystem::path& path,
                                                                 Calling& calling);
  ~NvmlSession();
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  NvmlSession(NvmlSession&&) = delete;
  NvmlSession& operator=(NvmlSession&&) = delete;

  [[nodiscard]] const NvmlLibrary& library() const { return *library_; }
  // GPUs of which faults are not told, and why.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  // One fault, if there is one before the timeout.
  [[nodiscard]] Result<std::vector<model::GpuFault>> WaitFault(Duration timeout) const;

 private:
  explicit NvmlSession(std::unique_ptr<NvmlLibrary> library) : library_(std::move(library)) {}
  void RegisterAll();
  void Register(Device device);

  std::unique_ptr<NvmlLibrary> library_;
  EventSet events_ = nullptr;
  std::map<Device, GpuUuid> registered_;
  std::vector<std::string> warnings_;
};

class NvmlSessions {
 public:
  explicit NvmlSessions(std::filesystem::path path) : path_(std::move(path)) {}

  // The one that is open, or a new one; waits until the last user of a dropped one is done.
  [[nodiscard]] Result<std::shared_ptr<NvmlSession>> Get() GS_EXCLUDES(mutex_);
  // The next Get() opens another. For sessions that have failed.
  void Drop(const std::shared_ptr<NvmlSession>& session) GS_EXCLUDES(mutex_);

  [[nodiscard]] std::string calling() const;

 private:
  void Close(NvmlSession* session) GS_EXCLUDES(mutex_);

  const std::filesystem::path path_;
  Calling calling_ = nullptr;
  runtime::Mutex mutex_;
  runtime::Condition closed_;
  bool is_open_ GS_GUARDED_BY(mutex_) = false;
  std::shared_ptr<NvmlSession> current_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::gpu::nvml
