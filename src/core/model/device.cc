#include "core/model/device.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/text.h"

namespace gs::model {
namespace {

constexpr std::array kHealths{
    std::pair{Health::kHealthy, std::string_view("Healthy")},
    std::pair{Health::kUnhealthy, std::string_view("Unhealthy")},
};

}  // namespace

std::string_view ToString(Health health) { return text::NameOf(kHealths, health); }
std::optional<Health> ParseHealth(std::string_view text) { return text::ValueOf(kHealths, text); }

std::ostream& operator<<(std::ostream& out, const GpuDevice& device) {
  out << "GPU " << device.id;
  if (!device.uuid.empty()) out << " " << device.uuid;
  if (!device.model.empty()) out << " " << device.model.text();
  if (device.health != Health::kHealthy)
    out << " " << ToString(device.health) << " " << device.health_reason.text();
  return out;
}

}  // namespace gs::model
