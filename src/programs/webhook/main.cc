// gpu-scheduler-webhook: see docs/webhook.md.
#include <iostream>
#include <string>
#include <vector>

#include "programs/webhook/options.h"
#include "programs/webhook/webhook.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto command = gs::webhook::ParseCommandLine(args, GS_VERSION);
  if (!command) {
    std::cerr << "gpu-scheduler-webhook: " << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<gs::webhook::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  const auto& options = std::get<gs::webhook::WebhookOptions>(*command);
  const gs::runtime::Logger log({.level = options.log_level, .format = options.log_format});
  const auto done = gs::webhook::RunWebhook(options, GS_VERSION, log);
  if (done) return 0;
  log.Error("stopped", {{"why", gs::ToString(done.error())}});
  return kExitFailed;
}
