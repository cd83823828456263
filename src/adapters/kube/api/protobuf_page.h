// A page of a list in protobuf, and what all lists have in common there. Inside this folder only;
// see list_page.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/wire/api_fields.h"
#include "base/result.h"

namespace gs::kube {

// Requires: IsProtobuf(body).
[[nodiscard]] Result<ListPage> ParseProtobufPage(std::string_view body);

// All lists of the API have the same shape.
enum ListField : std::uint32_t { kListMetadata = 1, kListItems = 2 };

// Of the items of a list of that kind.
[[nodiscard]] Result<const ApiType*> ListItemType(std::string_view api_version,
                                                  std::string_view kind);
// From where to watch, and where to go on.
[[nodiscard]] Result<void> ReadListMetadata(std::string_view metadata, ListPage& page);
[[nodiscard]] Error NoListVersion();

}  // namespace gs::kube
