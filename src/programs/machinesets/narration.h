// Narration: what the generator says while it works. People and scripts look for some of these
// lines, so they are a contract: docs/openshift.md shows them.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/machinesets/plan.h"

namespace gs::machinesets {

enum class Change : std::uint8_t { kCreated, kUpdated, kUnchanged, kDeleted, kFailed };

// "created"
[[nodiscard]] std::string_view ToString(Change change);

struct Done {
  std::string kind;  // "MachineSet"
  std::string name;
  Change change = Change::kUnchanged;
};

class Narration {
 public:
  // Dry: says what would happen. The stream must outlive it.
  enum class Mood : std::uint8_t { kDoing, kDry };
  Narration(std::ostream& out, Mood mood) : out_(out), mood_(mood) {}

  void Begin(const Cluster& cluster, const std::vector<PlannedSet>& plan);
  // A set that is made, or looked at again. `replicas`: what it has; of a new one what it gets.
  void Present(const PlannedSet& set, bool is_new, std::int64_t replicas);
  void Tell(const Done& done, std::string_view why = "");
  void Warn(std::string_view sentence);
  void Note(std::string_view sentence);
  void End(const std::vector<Done>& all);

 private:
  std::ostream& out_;
  const Mood mood_;
};

}  // namespace gs::machinesets
