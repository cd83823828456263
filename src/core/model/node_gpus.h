// Some GPUs of one node, written `node-a:0,1`: the right side of a map line and the form of the
// allocated annotation.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/text_cursor.h"

namespace gs::model {

struct NodeGpus {
  NodeName node;
  std::vector<GpuId> ids;  // as written, each once, at least one

  friend bool operator==(const NodeGpus&, const NodeGpus&) = default;
};

// Reads `node:ids` at the cursor and stops behind the last id and its blanks. Blanks around ':' and
// ',' are skipped.
[[nodiscard]] Result<NodeGpus> TakeNodeGpus(TextCursor& cursor);

// The whole text must be `node:ids`.
[[nodiscard]] Result<NodeGpus> ParseNodeGpus(std::string_view text);

[[nodiscard]] std::string ToString(const NodeGpus& gpus);
std::ostream& operator<<(std::ostream& out, const NodeGpus& gpus);

}  // namespace gs::model
