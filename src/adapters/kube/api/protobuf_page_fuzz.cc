// Any bytes as a page in protobuf: refused, or every item is JSON that the decoders can be given.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/objects/decode.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body = std::string("k8s\0", 4) + std::string(data, data + size);
  const auto page = gs::kube::ParseListPage(body);
  if (!page) {
    GS_CHECK(!ToString(page.error()).empty());
    return 0;
  }
  GS_CHECK(!page->resource_version.empty());
  for (const auto item : page->items) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    GS_CHECK(parser.parse(item.data(), item.size()).get(root) == simdjson::SUCCESS);
    (void)gs::kube::DecodePod(item);
    (void)gs::kube::DecodeNode(item);
  }
  return 0;
}
