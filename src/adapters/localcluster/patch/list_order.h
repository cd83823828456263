// In which order a merged list comes out: what the patch names in the order of the patch, and the
// rest between them where it was, as far as both can be kept.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace gs::localcluster {

// What tells elements apart: the value of the merge key, or the element itself if there is no key.
// Null for an object without the key.
[[nodiscard]] const boost::json::value* IdentityOf(const boost::json::value& item,
                                                   std::string_view merge_key);

// The first element with that identity; the number of elements if there is none.
[[nodiscard]] std::size_t IndexOfSame(const boost::json::array& items,
                                      const boost::json::value& identity,
                                      std::string_view merge_key);

// `patch_order` names identities (objects with the merge key, or words), as does `live_order`.
// Requires: every element of all three lists has an identity.
[[nodiscard]] boost::json::array InPatchOrder(const boost::json::array& merged,
                                              const boost::json::array& patch_order,
                                              const boost::json::array& live_order,
                                              std::string_view merge_key);

}  // namespace gs::localcluster
