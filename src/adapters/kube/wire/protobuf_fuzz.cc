// Any bytes: ProtobufToJson answers, and what it accepts is JSON.
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>

#include "adapters/kube/wire/protobuf.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = gs::kube::ProtobufToJson({reinterpret_cast<const char*>(data), size});
  boost::json::error_code ec;
  if (json) (void)boost::json::parse(*json, ec, {}, {.max_depth = 256});
  GS_CHECK(!ec);
  return 0;
}
