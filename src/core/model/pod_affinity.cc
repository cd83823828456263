#include "core/model/pod_affinity.h"

namespace gs::model {

std::string ToString(const PodAffinityTerm& term) {
  return (term.selector ? ToString(*term.selector) : "no pod") + " per " + term.topology_key;
}

}  // namespace gs::model
