// Any bytes: a line is read or refused, and what was read is written the same way again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/recording/recording.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto header = gs::recording::DecodeHeader(line)) {
    GS_CHECK(gs::recording::DecodeHeader(gs::recording::EncodeHeader(*header)));
  }
  if (const auto run = gs::recording::DecodeRun(line)) {
    const auto again = gs::recording::DecodeRun(
        gs::recording::EncodeRun(run->at, run->is_draining, run->events, run->commands));
    GS_CHECK(again && *again == *run);
  }
  return 0;
}
