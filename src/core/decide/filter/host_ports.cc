#include "core/decide/filter/host_ports.h"

namespace gs::filter {

std::optional<model::Reason> RefusedByPorts(const model::Pod& pod, const cache::NodeView& view) {
  for (const model::HostPort& wanted : pod.ties->host_ports) {
    for (const auto& [taken, pods] : view.host_ports) {
      if (!Collide(wanted, taken)) continue;
      return model::Reason{model::ReasonToken::kPortTaken,
                           "another pod has the host port " + ToString(taken)};
    }
  }
  return std::nullopt;
}

}  // namespace gs::filter
