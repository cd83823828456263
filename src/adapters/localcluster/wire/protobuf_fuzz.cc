// Any bytes: ReadProtobuf answers, and what it accepts can be printed.
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>

#include "adapters/localcluster/wire/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = gs::localcluster::ReadProtobuf({reinterpret_cast<const char*>(data), size});
  if (object) (void)boost::json::serialize(*object);
  return 0;
}
