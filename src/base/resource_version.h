// The order of resourceVersions. The API server counts them up for a whole kind, so that two of
// them say which state is the later one.
#pragma once

#include <compare>

#include "base/ids.h"

namespace gs {

// As whole numbers of any length. Versions that are no such numbers are unordered, unless they are
// the same text.
[[nodiscard]] std::partial_ordering CompareVersions(const ResourceVersion& a,
                                                    const ResourceVersion& b);

// Whether `a` is known to be no older than `b`. False if either is no number: what cannot be
// compared proves nothing.
[[nodiscard]] bool IsAtLeast(const ResourceVersion& a, const ResourceVersion& b);

// The later of the two; empty is the earliest.
[[nodiscard]] ResourceVersion LaterVersion(const ResourceVersion& a, const ResourceVersion& b);

}  // namespace gs
