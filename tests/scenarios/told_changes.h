// What the scheduler tells would help a pod that waits, and doing it.
#pragma once

#include <string>
#include <vector>

#include "core/explain/change.h"
#include "tests/scenarios/cluster/cluster.h"

namespace gs::scenarios {

struct ToldChange {
  ApiServer::PodKey pod;  // that waits
  explain::Change change;
};

// Of every pod that waits, whether or not it was written on it. Nothing while the scheduler has no
// say or has something under way.
[[nodiscard]] std::vector<ToldChange> ToldChanges(const Cluster& cluster);

// Makes the change, as whoever is told of it would.
void Make(const ToldChange& told, Cluster& cluster);

[[nodiscard]] std::string ToString(const ToldChange& told);

}  // namespace gs::scenarios
