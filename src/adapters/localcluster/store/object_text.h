// How objects become text: kind and apiVersion first, then metadata in the order the real server
// has it, then the rest. Lists can then leave the first two out, and the resourceVersion, known
// only when the write happens, is filled in without printing again.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

// Everything but revision and resourceVersion. Paths are such as "spec.nodeName"; a field that is
// absent has the value "". Requires: metadata is an object with a name.
[[nodiscard]] StoredObject DraftObject(const boost::json::object& object,
                                       const std::vector<std::string>& field_paths);

void FillRevision(StoredObject& draft, Revision revision);

// Whether a draft says the same as what is stored, in whatever order.
[[nodiscard]] bool IsSame(const StoredObject& draft, const StoredObject& stored);

// The text as an object again. Requires: text of a stored object.
[[nodiscard]] boost::json::object ParseStored(std::string_view text);

}  // namespace gs::localcluster
