// PriceList: all nodes by the price of GPUs that are asked for in one way, so that a decision
// weighs a few prices instead of every node.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "base/ids.h"
#include "core/decide/ask.h"
#include "core/decide/free_gpus.h"
#include "core/decide/gpu_price.h"
#include "core/decide/place.h"

namespace gs::decide {

class PriceList {
 public:
  // Nodes without a set for the pod have no price.
  using Groups = std::map<GpuPrice, std::set<NodeName>>;

  explicit PriceList(const CountedGpus& asked) : asked_(asked) {}

  [[nodiscard]] const CountedGpus& asked() const { return asked_; }

  // The GPUs of the node stood one way and stand another way now. Costs little: prices are found
  // when somebody asks for them.
  void Note(const NodeName& node, const FreeGpus& before, const FreeGpus& after) {
    moves_.push_back({node, before, after});
  }
  [[nodiscard]] std::size_t noted() const { return moves_.size(); }

  // Linear in what was noted since the last call.
  [[nodiscard]] const Groups& Read(const PlaceContext& context);

 private:
  struct Move {
    NodeName node;
    FreeGpus before;
    FreeGpus after;
  };

  void Apply(const Move& move, const PlaceContext& context);

  CountedGpus asked_;  // constant after construction
  std::vector<Move> moves_;
  Groups groups_;
};

}  // namespace gs::decide
