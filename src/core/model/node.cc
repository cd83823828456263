#include "core/model/node.h"

#include <ostream>

namespace gs::model {

std::ostream& operator<<(std::ostream& out, const Node& node) {
  out << "node " << node.name << " (" << node.allocatable << ", " << node.allocatable_pods
      << " pods";
  if (node.machine) out << ", " << node.machine->devices.size() << " GPU(s) reported";
  if (node.is_unschedulable) out << ", unschedulable";
  for (const auto& taint : node.taints) out << ", " << taint;
  return out << ")";
}

}  // namespace gs::model
