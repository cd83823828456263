// One page of a list: the objects, still as text, and where to go on. A pure function of the
// answer's body.
//
// The items point into that body, byte for byte, so they are good only as long as it is neither
// moved nor changed. Everything around them has been checked; whether an item is JSON at all is
// found out by its decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gs::kube {

struct ListPage {
  std::vector<std::string_view> items;  // one object each, in the body
  ResourceVersion resource_version;     // from where a watch goes on once all pages are read
  std::string continue_token;           // empty: this is the last page

  friend bool operator==(const ListPage&, const ListPage&) = default;
};

[[nodiscard]] Result<ListPage> ParseListPage(std::string_view body);

}  // namespace gs::kube
