// kubectl-gpu: also `kubectl gpu` when it is on the PATH. See docs/kubectl-gpu.md.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "programs/kubectl_gpu/app.h"

namespace {

// As no-color.org asks: any value that is not empty turns colours off.
gs::kubectl_gpu::Paint PaintForStdout() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const bool has_colours =
      isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return has_colours ? gs::kubectl_gpu::Paint::ForTerminal() : gs::kubectl_gpu::Paint();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return gs::kubectl_gpu::Run(args, GS_VERSION, std::cout, std::cerr, PaintForStdout());
}
