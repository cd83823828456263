// The garbage collector: what becomes of objects whose owners go. One function for what is owned,
// one for an owner that waits for what it owns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

enum class OwnerState : std::uint8_t {
  kThere,
  kWaitsForOwned,  // being deleted in the foreground: what it owns goes first
  kGone,           // no such object, or another one under its name
};
// Looks up the owner that a reference of an object names.
using FindOwner = std::function<OwnerState(const Json& reference)>;

// For an object with owner references: removed when no owner is left, rid of references to those
// that are gone when another one still is there.
[[nodiscard]] Reconciled CollectOwned(const Json& object, bool owns_others, const FindOwner& find);

// For an object that is being deleted and waits: lets what it owns go its own way (orphan), or is
// released once nothing that blocks it is left (foreground). `owned` are all that name it.
[[nodiscard]] Reconciled CollectOwner(const Json& owner, const std::vector<Json>& owned);

}  // namespace gs::localcluster
