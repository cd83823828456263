// Write: one change that a controller wants, as a value. Controllers are functions that return
// writes; who carries them out, and against what, is no business of theirs.
//
// A function writes any one object at most once per call, since its own first write would outdate
// the second; it is called again when the objects it looks at have changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

enum class Verb : std::uint8_t {
  kCreate,
  kUpdate,        // refused if the object changed since it was read
  kUpdateStatus,  // the same, for its status alone
  kFinalize,      // the same, for the spec.finalizers of a namespace
  kDelete,        // refused if another object has taken the name
};

// What becomes of the objects that a deleted one owns; kDefault is up to its kind.
enum class Dependents : std::uint8_t { kDefault, kBackground, kForeground, kOrphan };

struct Write {
  Verb verb = Verb::kCreate;
  Json object;  // whole; of one to delete its reference is enough
  std::optional<std::int64_t> grace_seconds = std::nullopt;  // of deletions; absent: the object's
  Dependents dependents = Dependents::kDefault;
};

[[nodiscard]] Write Create(Json object);
[[nodiscard]] Write Update(Json object);
[[nodiscard]] Write UpdateStatus(Json object);
[[nodiscard]] Write Delete(const Json& object);

// What a controller wants after one look at an object.
struct Reconciled {
  std::vector<Write> writes;            // in this order; the first that fails ends the attempt
  std::optional<TimePoint> look_again;  // even if nothing changes until then
};

// The earlier of what was asked for and `at`.
void LookAgainAt(Reconciled& reconciled, TimePoint at);

// Adds a status write if `status` is not what the object has.
void WriteStatusIfChanged(Reconciled& reconciled, const Json& object, Json status);

}  // namespace gs::localcluster
