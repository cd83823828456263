// Any bytes: ReadMachine answers, and every machine it accepts keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/gpu/machine_file.h"
#include "base/check.h"

namespace {

void CheckMachine(const gs::model::Machine& machine) {
  GS_CHECK(machine.devices.size() <= gs::gpu::kMaxDevices);
  GS_CHECK(machine.links.size() == machine.devices.size());
  for (std::size_t a = 0; a < machine.devices.size(); ++a) {
    GS_CHECK(a == 0 || machine.devices[a - 1].id < machine.devices[a].id);
    for (std::size_t b = 0; b < a; ++b) {
      const auto& link = machine.links.At(a, b);
      GS_CHECK(link == machine.links.At(b, a));
      GS_CHECK((link.kind == gs::model::LinkKind::kNone) == (link.count == 0));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto machine = gs::gpu::ReadMachine(text.substr(0, 1 << 14));
  if (machine) {
    CheckMachine(*machine);
  } else {
    GS_CHECK(!ToString(machine.error()).empty());
  }
  return 0;
}
