// The requests of a list and a watch.
//
// A list names no resourceVersion, so it is answered from the store and not from somebody's memory:
// "0" would allow any state of the past. It asks for protobuf where there is some, which costs the
// server and us less; a watch is always JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/message.h"
#include "adapters/kube/api/resource.h"
#include "base/ids.h"
#include "base/time.h"

namespace gs::kube {

// The objects of a kind that are wanted.
struct Collection {
  Resource resource;
  Namespace ns;                // empty: all
  std::string label_selector;  // as kubectl -l takes it; empty: all
  std::string field_selector;
};

// The whole list as JSON.
[[nodiscard]] http::Request ListRequest(const Collection& collection);
// An empty token asks for the first page.
[[nodiscard]] http::Request ListRequest(const Collection& collection, std::int32_t page_size,
                                        std::string_view continue_token);

// What happened after that version, with bookmarks. The server ends the answer after `timeout`.
[[nodiscard]] http::Request WatchRequest(const Collection& collection, const ResourceVersion& from,
                                         Duration timeout);

}  // namespace gs::kube
