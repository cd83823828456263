// The state of the fake between calls: the machine as it was last looked at, whether the library is
// initialised, and which events were told.
#pragma once

#include <string>

#include "tests/fake_nvml/fake_machine.h"

namespace gs::fake_nvml {

enum class Look { kAtWhatIsKnown, kAnew };
// Looks at the file again if told to, hangs while the file says so, and returns the error that the
// file wants of this function.
[[nodiscard]] int Enter(const std::string& function, Look look = Look::kAtWhatIsKnown);
// The same for a function of a GPU. `gpu` points into `machine`.
struct Target {
  Snapshot machine;
  const FakeGpu* gpu = nullptr;
};
[[nodiscard]] int EnterFor(const std::string& function, gpu::nvml::Device device, Target& target);

// The same for a link of a GPU. As NVML: no such link is an invalid argument, a GPU without any
// does not support the question.
[[nodiscard]] int EnterForLink(const std::string& function, gpu::nvml::Device device,
                               unsigned index, Target& target, const FakeLink*& link);

[[nodiscard]] int Init();
[[nodiscard]] int Shutdown();
[[nodiscard]] Snapshot Machine();

// A handle is for ever, and names a GPU by its UUID.
[[nodiscard]] gpu::nvml::Device HandleOf(const std::string& uuid);
[[nodiscard]] const std::string& UuidOf(gpu::nvml::Device device);

// The next event that was not told; kTimeout after so many milliseconds.
[[nodiscard]] int WaitEvent(unsigned milliseconds, gpu::nvml::EventData& event);

[[nodiscard]] int WriteProcesses(const std::string& function, gpu::nvml::Device device,
                                 unsigned* count, gpu::nvml::Process* out);

}  // namespace gs::fake_nvml
