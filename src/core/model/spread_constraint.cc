#include "core/model/spread_constraint.h"

namespace gs::model {

std::string ToString(const SpreadConstraint& constraint) {
  return (constraint.selector ? ToString(*constraint.selector) : "no pod") + " per " +
         constraint.topology_key + " with a skew of at most " + std::to_string(constraint.max_skew);
}

}  // namespace gs::model
