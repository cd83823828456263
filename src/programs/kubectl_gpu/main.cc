// kubectl-gpu: also `kubectl gpu` when it is on the PATH. See docs/kubectl-gpu.md.
#include <iostream>
#include <string>
#include <vector>

#include "programs/kubectl_gpu/app.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return gs::kubectl_gpu::Run(args, GS_VERSION, std::cout, std::cerr);
}
