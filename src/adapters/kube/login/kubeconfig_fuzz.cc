// Any bytes: a kubeconfig is read or refused with a sentence, and what can be read of it becomes
// settings that keep their promises.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/kube/login/kubeconfig.h"
#include "adapters/kube/login/kubeconfig_context.h"
#include "base/check.h"

namespace {

gs::Result<std::string> ReadAnything(const std::filesystem::path& path) { return path.string(); }

void CheckSettings(const gs::kube::ConnectionSettings& settings) {
  GS_CHECK(settings.server.starts_with("https://") || settings.server.starts_with("http://"));
  GS_CHECK(!settings.server.ends_with('/'));
  GS_CHECK(!settings.ns.empty());
  GS_CHECK(settings.is_server_verified || settings.ca_pem.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = gs::kube::ParseKubeconfig(text.substr(0, 1 << 14), "/etc/config");
  if (!config) {
    GS_CHECK(!ToString(config.error()).empty());
    return 0;
  }
  GS_CHECK(gs::kube::Merged(*config, *config) == *config);
  for (const auto& context : config->contexts) {
    const auto settings = gs::kube::SettingsOf(*config, context.first, ReadAnything);
    if (settings) CheckSettings(*settings);
  }
  return 0;
}
