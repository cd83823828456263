// gs-fault-proxy: stands between a client and an API server and breaks what a test tells it to.
// Only for tests; see control.h for how it is told.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <system_error>

#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/signals.h"
#include "tests/crash/proxy/control.h"
#include "tests/crash/proxy/proxied_kubeconfig.h"

namespace {

constexpr std::size_t kIoThreads = 2;

// With a token in it, nobody else may read it.
gs::Result<void> WritePrivately(const std::filesystem::path& path, const std::string& text) {
  using std::filesystem::perms;
  std::ofstream file(path, std::ios::trunc);
  std::error_code problem;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write, problem);
  file << text << std::flush;
  if (file && !problem) return {};
  return gs::Error(gs::ErrorKind::kUnavailable, "cannot be written").Within(path.string());
}

gs::Result<void> Run(const std::string& kubeconfig, const std::string& out) {
  const auto settings = gs::kube::FindSettings({.kubeconfig = kubeconfig, .context = ""});
  if (!settings) return settings.error();
  std::promise<void> ended;
  bool has_ended = false;
  const gs::runtime::Signals signals([&](int) {
    if (!std::exchange(has_ended, true)) ended.set_value();
  });
  gs::runtime::IoThreads threads(kIoThreads);
  const auto proxy = gs::testing::FaultProxy::Start(threads, *settings);
  if (!proxy) return proxy.error();
  const auto control = gs::crash::Control::Start(threads, **proxy);
  if (!control) return control.error();
  const std::string server = (*proxy)->settings().server;
  const auto text = gs::crash::ProxiedKubeconfig(*settings, server);
  if (!text) return text.error();
  if (auto written = WritePrivately(out, *text); !written) return written;
  std::cout << "ready proxy=" << server.substr(server.rfind(':') + 1)
            << " control=" << (*control)->port() << std::endl;
  ended.get_future().wait();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Stands between a client and an API server, and breaks things.", "gs-fault-proxy");
  std::string kubeconfig;
  std::string out;
  app.add_option("--kubeconfig", kubeconfig, "How to reach the API server")->required();
  app.add_option("--out", out, "Where to write the kubeconfig that leads here")->required();
  CLI11_PARSE(app, argc, argv);
  if (const auto done = Run(kubeconfig, out); !done) {
    std::cerr << "gs-fault-proxy: " << done.error() << "\n";
    return 1;
  }
  return 0;
}
