// JSON Patch (RFC 6902) as an API server applies it: the same leniency (negative indices, replace
// of a member that is not there) and the same messages.
//
// All patches of this folder refuse in the words of the server, and the kind of the error says how
// it answers: kInvalid is 400 (the patch makes no sense), kConflict is 422 (it does not fit this
// object), kUnsupported is 413 (too large), kInternal is 500 (the server has no better answer).
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace gs::localcluster {

// `document` is taken by value, changed and returned; after a refusal it is lost.
[[nodiscard]] Result<boost::json::value> ApplyJsonPatch(boost::json::value document,
                                                        const boost::json::value& patch);

}  // namespace gs::localcluster
