#include "tests/fake_nvml/fake_state.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace gs::fake_nvml {
namespace {

namespace nvml = gpu::nvml;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(10);

struct State {
  std::mutex mutex;
  Snapshot machine;
  int users = 0;
  std::map<std::string, int> events_told;      // the last number, by file
  std::map<std::string, std::string> handles;  // by UUID; nodes of a map stay where they are
};

State& Shared() {
  static auto* state = new State;  // threads that hang may outlive everything else
  return *state;
}

Snapshot LookAnew() {
  Snapshot machine = ReadFakeMachine();
  const std::lock_guard lock(Shared().mutex);
  Shared().machine = machine;
  return machine;
}

int ErrorIn(const std::map<std::string, int>& errors, const std::string& function) {
  const auto found = errors.find(function);
  return found == errors.end() ? nvml::kSuccess : found->second;
}

}  // namespace

int Enter(const std::string& function, Look look) {
  if (look == Look::kAtWhatIsKnown && !Machine()) return nvml::kUninitialized;
  Snapshot machine = look == Look::kAnew ? LookAnew() : Machine();
  while (machine->hang == function) {
    std::this_thread::sleep_for(kBetweenLooks);
    machine = LookAnew();
  }
  return ErrorIn(machine->errors, function);
}

int EnterFor(const std::string& function, nvml::Device device, Target& target) {
  if (const int error = Enter(function); error != nvml::kSuccess) return error;
  target.machine = Machine();
  for (const FakeGpu& gpu : target.machine->gpus) {
    if (gpu.uuid == UuidOf(device)) target.gpu = &gpu;
  }
  if (target.gpu == nullptr || target.gpu->is_lost) return nvml::kGpuIsLost;
  return ErrorIn(target.gpu->errors, function);
}

int EnterForLink(const std::string& function, nvml::Device device, unsigned index, Target& target,
                 const FakeLink*& link) {
  if (const int error = EnterFor(function, device, target)) return error;
  if (target.gpu->links.empty()) return nvml::kNotSupported;
  if (index >= target.gpu->links.size()) return nvml::kInvalidArgument;
  link = &target.gpu->links[index];
  return nvml::kSuccess;
}

int Init() {
  if (const int error = Enter("nvmlInit_v2", Look::kAnew); error != nvml::kSuccess) return error;
  const std::lock_guard lock(Shared().mutex);
  ++Shared().users;
  return nvml::kSuccess;
}

int Shutdown() {
  const std::lock_guard lock(Shared().mutex);
  if (Shared().users == 0) return nvml::kUninitialized;
  --Shared().users;
  return nvml::kSuccess;
}

Snapshot Machine() {
  const std::lock_guard lock(Shared().mutex);
  return Shared().machine;
}

nvml::Device HandleOf(const std::string& uuid) {
  const std::lock_guard lock(Shared().mutex);
  std::string& handle = Shared().handles.try_emplace(uuid, uuid).first->second;
  return reinterpret_cast<nvml::Device>(&handle);
}

const std::string& UuidOf(nvml::Device device) {
  return *reinterpret_cast<const std::string*>(device);
}

int WaitEvent(unsigned milliseconds, nvml::EventData& event) {
  if (const int error = Enter("nvmlEventSetWait", Look::kAnew)) return error;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const Snapshot machine = LookAnew();
    for (const FakeEvent& next : machine->events) {
      {
        const std::lock_guard lock(Shared().mutex);
        int& told = Shared().events_told[machine->file];
        if (next.number <= told) continue;
        told = next.number;
      }
      event.device = HandleOf(machine->gpus.at(static_cast<std::size_t>(next.gpu)).uuid);
      event.type = next.xid < 0 ? nvml::kEventDoubleBitEcc : nvml::kEventXid;
      event.data = next.xid < 0 ? 0 : static_cast<std::uint64_t>(next.xid);
      return nvml::kSuccess;
    }
    if (Clock::now() >= end) return nvml::kTimeout;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

int WriteProcesses(const std::string& function, nvml::Device device, unsigned* count,
                   nvml::Process* out) {
  Target target;
  if (const int error = EnterFor(function, device, target)) return error;
  const auto& processes = target.gpu->processes;
  const auto room = *count;
  *count = static_cast<unsigned>(processes.size());
  if (room < processes.size()) return nvml::kInsufficientSize;
  for (std::size_t i = 0; i < processes.size(); ++i) out[i] = {.pid = processes[i]};
  return nvml::kSuccess;
}

}  // namespace gs::fake_nvml
