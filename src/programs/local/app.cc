#include "programs/local/app.h"

#include <unistd.h>

#include <future>
#include <mutex>
#include <ostream>
#include <variant>

#include "adapters/runtime/signals.h"
#include "programs/local/background.h"
#include "programs/local/demo_command.h"
#include "programs/local/dump_command.h"
#include "programs/local/options.h"
#include "programs/local/status_command.h"
#include "programs/local/up_command.h"

namespace gs::local {
namespace {

constexpr Duration kDemoTimeout = std::chrono::minutes(2);

int Fail(std::ostream& err, const Error& error) {
  err << "gpu-local: " << error << "\n";
  return error.kind() == ErrorKind::kInvalid ? kExitBadInput : kExitFailed;
}

int Show(std::ostream& out, std::ostream& err, const Result<std::string>& text) {
  if (!text) return Fail(err, text.error());
  out << *text << std::flush;
  return out ? kExitDone : kExitFailed;
}

// SIGTERM and SIGINT as something to wait for.
class Ending {
 public:
  void Wait() { told_.get_future().wait(); }

 private:
  std::promise<void> told_;
  std::once_flag once_;
  const runtime::Signals signals_{
      [this](int) { std::call_once(once_, [this] { told_.set_value(); }); }};
};

int RunUp(const UpOptions& options, std::string_view version, std::ostream& out,
          std::ostream& err) {
  Background background;
  if (options.is_background && background.Begin() == Background::Side::kParent) {
    return background.WaitForChild(out, err);
  }
  Ending ending;  // before other threads
  const runtime::Logger log({.level = options.log_level});
  const auto up = UpCluster::Start(options, version, log);
  if (!up) return Fail(err, up.error());
  const std::string welcome = Welcome(**up, options);
  if (options.is_background) {
    if (auto done = background.ReportReady(welcome, (*up)->running().log); !done) {
      return Fail(err, done.error());
    }
  } else {
    out << welcome << std::flush;
  }
  ending.Wait();
  return kExitDone;
}

Result<std::string> Demonstrate(const UpCluster& up, const DemoOptions& options) {
  const auto objects = ReadManifests(options.files);
  if (!objects) return objects.error();
  const auto api = ApiConnection::Open(up.running().kubeconfig);
  if (!api) return api.error();
  const auto pods = CreateAndWait(**api, *objects, kDemoTimeout);
  if (!pods) return pods.error();
  return PrintPlaces(*pods);
}

int RunDemo(const DemoOptions& options, std::string_view version, std::ostream& out,
            std::ostream& err) {
  Ending ending;
  const UpOptions how{.name = "demo-" + std::to_string(getpid()),
                      .nodes = options.nodes,
                      .log_level = runtime::LogLevel::kError};
  const runtime::Logger log({.level = how.log_level});
  const auto up = UpCluster::Start(how, version, log);
  if (!up) return Fail(err, up.error());
  const auto places = Demonstrate(**up, options);
  if (!places || !options.stays) return Show(out, err, places);
  out << *places << "\n" << Welcome(**up, how) << std::flush;
  ending.Wait();
  return kExitDone;
}

}  // namespace

int Run(const std::vector<std::string>& args, std::string_view version, std::ostream& out,
        std::ostream& err) {
  const auto command = ParseCommandLine(args, version);
  if (!command) return Fail(err, command.error());
  if (const auto* shown = std::get_if<ShowText>(&*command)) return Show(out, err, shown->text);
  if (const auto* status = std::get_if<StatusOptions>(&*command)) {
    return Show(out, err, ShowStatus(*status));
  }
  if (const auto* down = std::get_if<DownOptions>(&*command)) {
    return Show(out, err, EndCluster(*down));
  }
  if (const auto* dump = std::get_if<DumpOptions>(&*command)) {
    return Show(out, err, DumpCluster(*dump));
  }
  if (const auto* demo = std::get_if<DemoOptions>(&*command)) {
    return RunDemo(*demo, version, out, err);
  }
  return RunUp(std::get<UpOptions>(*command), version, out, err);
}

}  // namespace gs::local
