// A page of a list in protobuf. Internal to list_page.h, which see.
#pragma once

#include <string_view>

#include "adapters/kube/api/list_page.h"
#include "base/result.h"

namespace gs::kube {

// Requires: IsProtobuf(body).
[[nodiscard]] Result<ListPage> ParseProtobufPage(std::string_view body);

}  // namespace gs::kube
