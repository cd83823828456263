// The generator's options, every value checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/config/command_line.h"
#include "adapters/kube/login/find_settings.h"
#include "base/result.h"
#include "core/machinesets/settings.h"

namespace gs::machinesets {

enum class Command : std::uint8_t { kGenerate, kVerify, kStatus, kTypes };
enum class Output : std::uint8_t { kLog, kYaml, kTable };

// What flags say; each counts more than the file does.
struct FlagSettings {
  std::vector<TypeWish> types;  // names and replicas only; empty: those of the file
  std::optional<Zones> zones;
  std::optional<Spot> spot;
  std::optional<Autoscale> autoscale;
  std::optional<std::int64_t> disk_gib;
  std::optional<std::string> accelerator;
  std::optional<std::vector<model::Taint>> taints;
  std::optional<std::map<std::string, std::string>> labels;
};

struct Options {
  Command command = Command::kGenerate;
  kube::SettingsWish cluster;
  std::string offline;  // a folder; empty: a cluster
  std::string settings_file;
  FlagSettings flags;
  bool is_dry_run = false;
  bool is_pruning = false;
  Output output = Output::kLog;
};

using config::ShowText;

// `args` does not have the program's name.
[[nodiscard]] Result<std::variant<ShowText, Options>> ParseCommandLine(
    const std::vector<std::string>& args, std::string_view version);

// Reads the settings file, if any, and lays the flags over it.
[[nodiscard]] Result<Settings> SettingsOf(const Options& options);

}  // namespace gs::machinesets
