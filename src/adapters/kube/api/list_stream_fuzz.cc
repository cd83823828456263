// Any bytes as a list that arrives in pieces, in JSON or protobuf: what comes of it does not depend
// on where it is cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/api/list_stream.h"
#include "base/check.h"

namespace {

struct Read {
  std::vector<std::string> items;
  bool is_fine = true;
  bool has_end = false;
  friend bool operator==(const Read&, const Read&) = default;
};

Read ReadIn(std::string_view text, std::size_t size) {
  Read read;
  gs::kube::ListStream stream;
  for (std::size_t at = 0; at < text.size() && read.is_fine; at += size) {
    const auto done = stream.Append(text.substr(at, size), [&](std::string_view json) {
      read.items.emplace_back(json);
      return gs::Result<void>();
    });
    read.is_fine = done.ok();
  }
  read.has_end = read.is_fine && stream.Finish().ok();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data, data + size);
  for (const std::string& list : {text, std::string("k8s\0", 4) + text}) {
    GS_CHECK(ReadIn(list, list.size()) == ReadIn(list, 1 + list.size() % 7));
  }
  return 0;
}
