#include "adapters/localcluster/kubelet/known_program.h"

#include <boost/json/array.hpp>
#include <string_view>

namespace gs::localcluster {
namespace {

// "registry:5000/team/web:1.2@sha256:..." is web.
std::string_view ShortName(std::string_view image) {
  image = image.substr(0, image.find('@'));
  image = image.substr(image.rfind('/') + 1);
  return image.substr(0, image.find(':'));
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::optional<std::vector<std::string>> CommandFor(const Json& container,
                                                   const std::vector<KnownProgram>& known,
                                                   const Variables& environment) {
  const auto& command = Items(container, {"command"});
  const auto& args = Items(container, {"args"});
  // Without a command, the first argument of an image that is all programs names one of them.
  const bool is_named_by_args = command.empty() && !args.empty();
  const std::string_view name =
      command.empty() ? (is_named_by_args ? Text(args[0], {}) : "") : Text(command[0], {});
  for (const KnownProgram& each : known) {
    if (ShortName(Text(container, {"image"})) != each.image) continue;
    const bool is_own = each.command.empty() && command.empty();
    if (!is_own && (each.command.empty() || BaseName(name) != each.command)) continue;
    std::vector<std::string> argv = each.argv;
    const bool skips_first_arg = !is_own && is_named_by_args;
    for (std::size_t i = 1; i < command.size(); ++i) {
      argv.push_back(Expand(Text(command[i], {}), environment));
    }
    for (std::size_t i = skips_first_arg ? 1 : 0; i < args.size(); ++i) {
      argv.push_back(Expand(Text(args[i], {}), environment));
    }
    return argv;
  }
  return std::nullopt;
}

}  // namespace gs::localcluster
