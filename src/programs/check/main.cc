// gpu-scheduler-check: see docs/gpu-scheduler-check.md.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/signals.h"
#include "programs/check/options.h"
#include "programs/check/report.h"
#include "programs/check/reporter.h"
#include "programs/check/verdict.h"
#include "programs/check/verify.h"
#include "programs/check/visible_devices.h"

extern char** environ;

namespace {

constexpr int kExitFailed = 1;  // a line could not be written
constexpr int kExitBadInput = 2;
constexpr int kExitMismatch = 3;

std::optional<std::string> FromProcess(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

int PrintEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::cout << *entry << "\n";
  }
  return std::cout.flush() ? 0 : kExitFailed;
}

// Every line is there at once, whoever reads it.
bool PrintLine(const std::string& line) {
  std::cout << line << "\n" << std::flush;
  return static_cast<bool>(std::cout);
}

using gs::check::Mismatch;

struct Findings {
  std::vector<Mismatch> wrong;
  std::string note;  // what the user should know although nothing is wrong; may be empty
};

Findings Look(const gs::check::CheckOptions& options) {
  if (!options.is_verifying) return {};
  gs::gpu::DeviceOptions how;
  if (!options.nvml_library.empty()) how.nvml_library = options.nvml_library;
  const auto devices = gs::check::VisibleDevices(how);
  Findings found{.wrong = gs::check::Verify(options.node, FromProcess, devices), .note = ""};
  auto missing = gs::check::MissingDriver(FromProcess, devices);
  if (!missing) return found;
  if (options.needs_devices) {
    found.wrong.push_back(*std::move(missing));
  } else {
    found.note = std::move(missing->message);
  }
  return found;
}

// What is seen, and then what is wrong with it. A note comes first and is not repeated, so that the
// last line of a log is what is seen.
bool PrintReport(const gs::check::CheckOptions& options, const Findings& found,
                 const std::string& last_note) {
  bool is_printed =
      found.note.empty() || found.note == last_note || PrintLine("Note: " + found.note);
  is_printed = is_printed && PrintLine(gs::check::ReportLine(options.node, FromProcess));
  for (const auto& mismatch : found.wrong) {
    is_printed = is_printed && PrintLine("Wrong: " + mismatch.message);
  }
  return is_printed;
}

int CheckOnce(const gs::check::CheckOptions& options) {
  const auto found = Look(options);
  if (!PrintReport(options, found, "")) return kExitFailed;
  return found.wrong.empty() ? 0 : kExitMismatch;
}

int Check(const gs::check::CheckOptions& options) {
  if (options.is_once) return CheckOnce(options);
  gs::check::Verdict verdict(GS_VERSION);
  gs::runtime::IoThreads threads(1);
  std::unique_ptr<gs::http::Server> server;
  if (options.status) {
    auto started = gs::check::Serve(threads, *options.status, verdict);
    if (!started) {
      std::cerr << "gpu-scheduler-check: " << started.error() << "\n";
      return kExitFailed;
    }
    server = *std::move(started);
  }
  gs::check::Reporter reporter;
  const gs::runtime::Signals signals([&](int) { reporter.Stop(); });
  std::string last_note;
  const bool is_done = reporter.Run(options.interval, [&] {
    auto found = Look(options);
    const bool is_printed = PrintReport(options, found, last_note);
    last_note = std::move(found.note);
    verdict.Set(std::move(found.wrong));
    return is_printed;
  });
  return is_done ? 0 : kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv, argv + argc);
  const auto command = gs::check::ParseCommandLine(args, FromProcess, GS_VERSION);
  if (!command) {
    std::cerr << "gpu-scheduler-check: " << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<gs::check::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  if (std::holds_alternative<gs::check::ShowEnvironment>(*command)) return PrintEnvironment();
  return Check(std::get<gs::check::CheckOptions>(*command));
}
