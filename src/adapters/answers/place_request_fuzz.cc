// Any bytes: ReadPlaceRequest answers, and a pod that it accepts is on no node yet.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/answers/place_request.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request = gs::answers::ReadPlaceRequest(
      text.substr(0, 1 << 14), gs::TimePoint{std::chrono::hours(1)}, gs::Namespace("team"));
  if (request) {
    GS_CHECK(!request->pod.is_bound() && !request->pod.ref.name.empty());
  } else {
    GS_CHECK(!ToString(request.error()).empty());
  }
  return 0;
}
