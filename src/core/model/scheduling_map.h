// The gpu-scheduling-map annotation: which pod of a controller gets which GPUs of which node, in
// the user's own words, one `index=node:ids` per line. This is the only reader of that text; it
// never looks at a cluster.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "core/model/node_gpus.h"

namespace gs::model {

using MapEntry = NodeGpus;

struct SchedulingMap {
  std::map<PodIndex, MapEntry> entries;

  // The entry of that pod, or nullptr.
  [[nodiscard]] const MapEntry* Find(PodIndex index) const;

  friend bool operator==(const SchedulingMap&, const SchedulingMap&) = default;
};

// Blank lines, blanks around every sign, '#' comments (a line of their own or at the end of one)
// and Windows line ends are fine. Refused, with line, column and advice: no entry at all, an index
// given twice, an id given twice in one line, an empty list, numbers that are negative or too
// large, a node name that cannot be one, and anything left over at the end of a line.
[[nodiscard]] Result<SchedulingMap> ParseSchedulingMap(std::string_view text);

// One line per entry by ascending index, without comments, blanks or a line end at the end.
[[nodiscard]] std::string ToString(const SchedulingMap& map);
std::ostream& operator<<(std::ostream& out, const SchedulingMap& map);

}  // namespace gs::model
