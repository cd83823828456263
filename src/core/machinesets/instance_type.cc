#include "core/machinesets/instance_type.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace gs::machinesets {
namespace {

constexpr std::array kPlatformNames{
    std::pair{Platform::kAws, std::string_view("AWS")},
    std::pair{Platform::kAzure, std::string_view("Azure")},
    std::pair{Platform::kGcp, std::string_view("GCP")},
};

}  // namespace

std::string_view ToString(Platform platform) { return text::NameOf(kPlatformNames, platform); }
std::string_view ToString(Vendor vendor) { return vendor == Vendor::kAmd ? "amd" : "nvidia"; }
std::string_view ToString(Arch arch) { return arch == Arch::kArm64 ? "arm64" : "amd64"; }

std::string AcceleratorOf(Vendor vendor, std::string_view model) {
  std::string label = std::string(ToString(vendor)) + "-" + text::ToLower(model);
  for (char& letter : label) {
    if (letter == ' ') letter = '-';
  }
  return label;
}

}  // namespace gs::machinesets
