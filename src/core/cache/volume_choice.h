// VolumeChoice: how a pod comes to those of its volumes that it does not have yet, on one node.
#pragma once

#include <string>
#include <vector>

namespace gs::cache {

// A volume that is there, for a claim that has none.
struct VolumeMatch {
  std::string claim;
  std::string volume;

  friend bool operator==(const VolumeMatch&, const VolumeMatch&) = default;
};

struct VolumeChoice {
  std::vector<VolumeMatch> matches;
  std::vector<std::string> to_make;  // claims for which a volume is made in reach of the node

  [[nodiscard]] bool empty() const { return matches.empty() && to_make.empty(); }

  friend bool operator==(const VolumeChoice&, const VolumeChoice&) = default;
};

}  // namespace gs::cache
