#include "adapters/gpu/nvml/nvml_session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace gs::gpu::nvml {
namespace {

Error CannotInit(const NvmlLibrary& library, int result) {
  const bool has_no_driver =
      result == kDriverNotLoaded || result == kLibraryNotFound || result == kNotFound;
  Error error(has_no_driver ? ErrorKind::kNotFound : ErrorKind::kUnavailable,
              std::string(library->init.name()) + ": " + library.Describe(result));
  if (result != kLibraryMismatch) return error;
  return std::move(error).Advise(
      "the library and the kernel's driver are of different versions: finish the driver's upgrade, "
      "then restart this program or the node");
}

unsigned Milliseconds(Duration duration) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Result<std::unique_ptr<NvmlSession>> NvmlSession::Open(const std::filesystem::path& path,
                                                       Calling& calling) {
  auto library = NvmlLibrary::Load(path, calling);
  if (!library) return std::move(library).error();
  if (const int result = (**library)->init(); result != kSuccess) {
    return CannotInit(**library, result);
  }
  std::unique_ptr<NvmlSession> session(new NvmlSession(*std::move(library)));
  session->RegisterAll();
  return session;
}

NvmlSession::~NvmlSession() {
  const Functions& nvml = library_->functions();
  if (events_ != nullptr) nvml.free_events(events_);
  nvml.shutdown();
}

void NvmlSession::RegisterAll() {
  const Functions& nvml = library_->functions();
  if (const int result = nvml.create_events(&events_); result != kSuccess) {
    events_ = nullptr;
    warnings_.push_back("faults are not told: " + library_->Describe(result));
    return;
  }
  unsigned count = 0;
  if (nvml.count(&count) != kSuccess) return;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (nvml.handle(index, &device) == kSuccess) Register(device);
  }
}

void NvmlSession::Register(Device device) {
  const Functions& nvml = library_->functions();
  std::array<char, kTextSize> uuid{};
  if (nvml.uuid(device, uuid.data(), kTextSize) != kSuccess) return;
  unsigned long long supported = kEventXid | kEventDoubleBitEcc;
  nvml.event_types(device, &supported);
  const auto types = supported & (kEventXid | kEventDoubleBitEcc);
  const int result = types == 0 ? kNotSupported : nvml.register_events(device, types, events_);
  if (result == kSuccess) {
    registered_.emplace(device, GpuUuid(uuid.data()));
  } else {
    warnings_.push_back(std::string(uuid.data()) +
                        ": faults are not told: " + library_->Describe(result));
  }
}

Result<std::vector<model::GpuFault>> NvmlSession::WaitFault(Duration timeout) const {
  const Functions& nvml = library_->functions();
  const auto& wait = nvml.wait_v2.is_there() ? nvml.wait_v2 : nvml.wait_v1;
  EventData event{};
  const int result =
      events_ == nullptr ? kFunctionNotFound : wait(events_, &event, Milliseconds(timeout));
  if (result == kTimeout) return std::vector<model::GpuFault>();
  if (result != kSuccess) {
    const bool is_missing = result == kFunctionNotFound || result == kNotSupported;
    return Error(is_missing ? ErrorKind::kUnsupported : ErrorKind::kUnavailable,
                 std::string(wait.name()) + ": " + library_->Describe(result));
  }
  model::GpuFault fault;
  const auto known = registered_.find(event.device);
  if (known != registered_.end()) fault.uuid = known->second;
  if (event.type == kEventXid) fault.xid = static_cast<std::int64_t>(event.data);
  fault.message = fault.xid ? "Xid " + std::to_string(*fault.xid) : "double bit memory error";
  return std::vector{std::move(fault)};
}

Result<std::shared_ptr<NvmlSession>> NvmlSessions::Get() {
  const runtime::MutexLock lock(mutex_);
  if (current_) return current_;
  while (is_open_) closed_.Wait(mutex_);
  if (current_) return current_;  // opened while this thread waited
  auto session = NvmlSession::Open(path_, calling_);
  if (!session) return std::move(session).error();
  is_open_ = true;
  current_ = std::shared_ptr<NvmlSession>(session->release(),
                                          [this](NvmlSession* closing) { Close(closing); });
  return current_;
}

void NvmlSessions::Drop(const std::shared_ptr<NvmlSession>& session) {
  std::shared_ptr<NvmlSession> dropped;  // let go of outside the lock, since that may close it
  const runtime::MutexLock lock(mutex_);
  if (current_ == session) dropped = std::exchange(current_, nullptr);
}

void NvmlSessions::Close(NvmlSession* session) {
  std::unique_ptr<NvmlSession>(session).reset();
  const runtime::MutexLock lock(mutex_);
  is_open_ = false;
  closed_.NotifyAll();
}

std::string NvmlSessions::calling() const {
  const char* name = calling_;
  return name == nullptr ? "" : name;
}

}  // namespace gs::gpu::nvml
