// Any bytes: the texts of KFD are taken apart or refused with a sentence, and so are the control
// groups of processes and the speed of a slot.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/gpu/amd/kfd_text.h"
#include "adapters/gpu/pci_sysfs.h"
#include "adapters/gpu/pod_of_process.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto properties = gs::gpu::KfdProperties::Parse(text);
  GS_CHECK(properties.ok() || !ToString(properties.error()).empty());
  if (properties) (void)properties->Get("simd_count");
  const auto errors = gs::gpu::ParseUncorrectedErrors(text);
  GS_CHECK(!errors.ok() || *errors >= 0);
  const auto generation = gs::gpu::ParseLinkSpeed(text);
  GS_CHECK(!generation.ok() || (*generation >= 1 && *generation <= 7));
  const auto pod = gs::gpu::PodInCgroup(text);
  GS_CHECK(pod.empty() || pod.text().size() == 32 || pod.text().size() == 36);
  return 0;
}
