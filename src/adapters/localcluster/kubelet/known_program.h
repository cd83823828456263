// Which containers are run as real programs of this machine: a table from images and commands to
// what is started. Everything else only pretends to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/localcluster/kubelet/environment.h"

namespace gs::localcluster {

struct KnownProgram {
  std::string image;    // "gpu-scheduler-check": the last part of an image's name, without its tag
  std::string command;  // "sleep": the container's command; empty: what the image itself starts
  std::vector<std::string> argv;  // what is started, before the container's own arguments
};

// What to start for a container; absent if it is not known. $(NAME) is filled in.
[[nodiscard]] std::optional<std::vector<std::string>> CommandFor(
    const Json& container, const std::vector<KnownProgram>& known, const Variables& environment);

}  // namespace gs::localcluster
