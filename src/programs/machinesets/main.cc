// gpu-machinesets: see docs/openshift.md.
#include <iostream>
#include <string>
#include <vector>

#include "programs/machinesets/app.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return gs::machinesets::Run(args, GS_VERSION, std::cout, std::cerr);
}
