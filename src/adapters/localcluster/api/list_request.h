// What a list or a watch asks for, checked as the real server checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/api/selection.h"
#include "adapters/localcluster/store/kind.h"

namespace gs::localcluster {

enum class VersionMatch : std::uint8_t { kNone, kExact, kNotOlderThan };

struct ListRequest {
  std::string ns;  // all if empty
  Selection selection;
  std::string resource_version;  // "": the latest; "0": any
  Revision revision = 0;         // the same as a number
  VersionMatch match = VersionMatch::kNone;
  std::int64_t limit = 0;  // 0: all
  std::string continues;   // a token of ours
  // For watches.
  bool has_bookmarks = false;
  bool sends_initial_events = false;
  std::optional<std::int64_t> timeout_seconds;
};

// `name` restricts to one object, as in the path of a watch of a single one; "" does not.
[[nodiscard]] Answer<ListRequest> ReadListRequest(const Kind& kind, const ResourcePath& path,
                                                  const Query& query);

}  // namespace gs::localcluster
