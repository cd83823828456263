// Lists: one consistent state, whole or in pages. A page that continues an earlier one is cut from
// the state the first was cut from, as long as the store remembers it.
#pragma once

#include <string>
#include <vector>

#include "adapters/localcluster/api/list_request.h"
#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

struct ListPage {
  Revision revision = 0;
  std::vector<ObjectPtr> objects;
  std::string continues;                 // "" if this was the last one
  std::optional<std::size_t> remaining;  // how many follow, where that is known
};

[[nodiscard]] Answer<ListPage> ReadList(const Store& store, const std::string& resource,
                                        const ListRequest& request);

// 504, as the real server words it when it is asked for the future.
[[nodiscard]] Status TooLargeVersion(Revision asked, Revision current);

}  // namespace gs::localcluster
