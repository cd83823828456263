#include "programs/machinesets/app.h"

#include <ostream>
#include <variant>

#include "core/machinesets/catalogue.h"
#include "programs/machinesets/columns.h"
#include "programs/machinesets/generate.h"
#include "programs/machinesets/options.h"
#include "programs/machinesets/status.h"
#include "programs/machinesets/verify.h"

namespace gs::machinesets {
namespace {

constexpr const char* kName = "gpu-machinesets: ";

std::string PrintCatalogue() {
  Rows rows{{"CLOUD", "TYPE", "GPUS", "MODEL", "GPU MIB", "VCPUS", "MEMORY MIB", "ARCH", "NOTE"}};
  for (const InstanceType& type : Catalogue()) {
    rows.push_back({std::string(ToString(type.platform)), std::string(type.name),
                    type.gpus > 0 ? std::to_string(type.gpus) : "attached",
                    type.gpus > 0 ? std::string(type.model) : "-",
                    type.gpus > 0 ? std::to_string(type.gpu_memory_mib) : "-",
                    std::to_string(type.vcpus), std::to_string(type.memory_mib),
                    std::string(ToString(type.arch)), std::string(type.note)});
  }
  return PrintColumns(rows);
}

int Failed(const Error& error, std::ostream& err) {
  err << kName << error << "\n";
  return kExitFailed;
}

int RunGenerate(const Options& options, std::string_view version, std::ostream& out,
                std::ostream& err) {
  const auto settings = SettingsOf(options);
  if (!settings) {
    err << kName << settings.error() << "\n";
    return kExitBadInput;
  }
  const auto is_done = Generate(options, *settings, version, out, err);
  if (!is_done) return Failed(is_done.error(), err);
  return *is_done ? kExitDone : kExitFailed;
}

int RunCommand(const Options& options, std::string_view version, std::ostream& out,
               std::ostream& err) {
  switch (options.command) {
    case Command::kGenerate: return RunGenerate(options, version, out, err);
    case Command::kTypes: out << PrintCatalogue(); return kExitDone;
    case Command::kStatus: {
      const auto shown = ShowStatus(options, version, out);
      return shown ? kExitDone : Failed(shown.error(), err);
    }
    case Command::kVerify: {
      const auto is_fine = ShowVerification(options, version, out);
      if (!is_fine) return Failed(is_fine.error(), err);
      return *is_fine ? kExitDone : kExitAmiss;
    }
  }
  return kExitFailed;
}

}  // namespace

int Run(const std::vector<std::string>& args, std::string_view version, std::ostream& out,
        std::ostream& err) {
  const auto command = ParseCommandLine(args, version);
  if (!command) {
    err << kName << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<ShowText>(&*command)) {
    out << shown->text;
    return kExitDone;
  }
  return RunCommand(std::get<Options>(*command), version, out, err);
}

}  // namespace gs::machinesets
