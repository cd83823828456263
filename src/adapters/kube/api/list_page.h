// One page of a list: the objects as JSON text, and where to go on. A pure function of the answer's
// body, which says by its first bytes whether it is JSON or protobuf.
//
// Items of JSON point into that body, byte for byte, so they are good only as long as it is neither
// moved nor changed. Everything around them has been checked; whether an item is JSON at all is
// found out by its decoder. Items of protobuf are text that the page owns, without fields that no
// decoder reads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gs::kube {

struct ListPage {
  std::vector<std::string_view> items;      // one object each
  ResourceVersion resource_version;         // from where a watch goes on once all pages are read
  std::string continue_token;               // empty: this is the last page
  std::shared_ptr<const std::string> text;  // what the items point into; null: the body
};

[[nodiscard]] Result<ListPage> ParseListPage(std::string_view body);

}  // namespace gs::kube
