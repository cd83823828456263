// gpu-local: a Kubernetes-compatible cluster in one process.
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "adapters/runtime/signals.h"
#include "programs/local/cluster.h"
#include "programs/local/options.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;

// The file holds a key: nobody else may read it.
gs::Result<void> WriteSecret(const std::string& path, const std::string& text) {
  const auto fresh = path + ".new";
  {
    std::ofstream file(fresh, std::ios::trunc);
    std::error_code ignored;
    std::filesystem::permissions(
        fresh, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, ignored);
    file << text;
    if (!file.flush()) return gs::Error(gs::ErrorKind::kInvalid, "cannot write " + path);
  }
  std::error_code ec;
  std::filesystem::rename(fresh, path, ec);
  if (ec) return gs::Error(gs::ErrorKind::kInvalid, "cannot write " + path + ": " + ec.message());
  return {};
}

int Fail(const gs::Error& error, int code) {
  std::cerr << "gpu-local: " << error << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto command = gs::local::ParseCommandLine(args, GS_VERSION);
  if (!command) return Fail(command.error(), kExitBadInput);
  if (const auto* shown = std::get_if<gs::local::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  const auto& options = std::get<gs::local::UpOptions>(*command);
  std::promise<void> told;
  std::atomic<bool> is_told = false;
  const gs::runtime::Signals signals([&](int) {
    if (!is_told.exchange(true)) told.set_value();
  });
  const auto cluster = gs::local::Cluster::Start(options.port);
  if (!cluster) return Fail(cluster.error(), kExitFailed);
  const auto written = WriteSecret(options.kubeconfig, (*cluster)->kubeconfig());
  if (!written) return Fail(written.error(), kExitFailed);
  std::cout << "gpu-local serves https://127.0.0.1:" << (*cluster)->port() << "\n"
            << "export KUBECONFIG=" << std::filesystem::absolute(options.kubeconfig).string()
            << "\n"
            << std::flush;
  told.get_future().wait();
  return 0;
}
