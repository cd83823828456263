// Any bytes: a configuration is refused with a place, or read; what is accepted is printed as a
// file that means the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "programs/scheduler/config_file.h"
#include "programs/scheduler/options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gs::scheduler;  // NOLINT(google-build-using-namespace): a fuzzer's whole text
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  WrittenSettings settings = DefaultSettings();
  const auto read = ReadConfigText(text.substr(0, 1 << 14), "fuzz.yaml", settings);
  if (!read) {
    GS_CHECK(!ToString(read.error()).empty());
    return 0;
  }
  const auto options = CheckSettings(settings);
  if (!options) {
    GS_CHECK(!ToString(options.error()).empty());
    return 0;
  }
  WrittenSettings again = DefaultSettings();
  const std::string printed = PrintConfig(settings);
  GS_CHECK(ReadConfigText(printed, "again.yaml", again).ok());
  GS_CHECK(PrintConfig(again) == printed);
  return 0;
}
