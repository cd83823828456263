#include "tests/crash/lab/lab_options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/parse.h"

namespace gs::crash {
namespace {

template <class Rules>
struct NamedRule {
  std::string_view name;
  bool Rules::*rule;
};

constexpr auto kRules = std::to_array<NamedRule<commit::Rules>>({
    {"LISTED", &commit::Rules::listed},
    {"RVPRE", &commit::Rules::rvpre},
    {"TOUCH", &commit::Rules::touch},
    {"SETTLED", &commit::Rules::settled},
    {"FRESH", &commit::Rules::fresh},
    {"LOOKAGAIN", &commit::Rules::look_again},
    {"RESUME", &commit::Rules::resume},
    {"TOUCHALL", &commit::Rules::touch_all},
    {"TOUCHLATE", &commit::Rules::touch_late},
    {"MARKSETTLED", &commit::Rules::mark_settled},
    {"DEADTOUCH", &commit::Rules::dead_touch},
    {"DEADSETTLED", &commit::Rules::dead_settled},
    {"UID", &commit::Rules::uid},
});

// Not CAS: an API server refuses to replace a Lease without its version. Nor UNSETTLED: a process
// that takes over touches all pods itself before it decides.
constexpr auto kFenceRules = std::to_array<NamedRule<kube::FenceRules>>({
    {"SEEOTHERS", &kube::FenceRules::see_others},
    {"UNCHANGED", &kube::FenceRules::unchanged},
    {"MERGED", &kube::FenceRules::merged},
});

std::string RuleNames() {
  std::string names;
  const auto add = [&names](const auto& rules) {
    for (const auto& rule : rules) {
      names += names.empty() ? "" : ", ";
      names += rule.name;
    }
  };
  add(kRules);
  add(kFenceRules);
  return names;
}

template <class Known, class Rules>
bool IsSwitchedOff(std::string_view name, const Known& known, Rules& rules) {
  for (const auto& rule : known) {
    if (rule.name != name) continue;
    rules.*rule.rule = false;
    return true;
  }
  return false;
}

Result<void> SwitchOff(std::string_view name, LabOptions& options) {
  if (IsSwitchedOff(name, kRules, options.rules)) return {};
  if (IsSwitchedOff(name, kFenceRules, options.fence_rules)) return {};
  return Error(ErrorKind::kInvalid, "no rule is called " + std::string(name))
      .Advise("the rules are " + RuleNames())
      .Within("--without");
}

// "binding-write:2"
Result<Trap> ReadTrap(const std::string& word, Fate fate) {
  const auto colon = word.find(':');
  const auto point = ParsePoint(word.substr(0, colon));
  if (!point) {
    return Error(ErrorKind::kInvalid, "no point is called " + word.substr(0, colon))
        .Advise("the points are " + PointNames());
  }
  if (colon == std::string::npos) return Trap{.fate = fate, .point = *point};
  const auto pass = ParseInt32(word.substr(colon + 1), {1, kInt32Range.max});
  if (!pass) return pass.error();
  return Trap{.fate = fate, .point = *point, .pass = *pass};
}

// The command line as it was written.
struct Words {
  std::vector<std::string> without;
  std::vector<std::string> stops;
  std::vector<std::string> kills;
  std::string forget_after;
};

void AddOptions(CLI::App& app, Words& words) {
  const auto add = [&app](const char* flag, std::vector<std::string>& word, const char* kind,
                          const std::string& text) {
    app.add_option(flag, word, text)->type_name(kind)->allow_extra_args(false);
  };
  add("--without", words.without, "RULE", "Breaks this rule: " + RuleNames());
  add("--stop-at", words.stops, "POINT[:N]",
      "SIGSTOP to itself at the Nth time (default 1): " + PointNames());
  add("--kill-at", words.kills, "POINT[:N]", "Likewise SIGKILL");
  app.add_option("--forget-after", words.forget_after,
                 "When the record of a dead release goes, instead of after 10m")
      ->type_name("DURATION");
}

Result<void> ReadTraps(const std::vector<std::string>& words, Fate fate, const char* flag,
                       std::vector<Trap>& traps) {
  for (const std::string& word : words) {
    auto trap = ReadTrap(word, fate);
    if (!trap) return std::move(trap).error().Within(flag);
    traps.push_back(*std::move(trap));
  }
  return {};
}

Result<LabOptions> Read(const Words& words, std::vector<std::string> others) {
  LabOptions options;
  options.others = std::move(others);
  for (const std::string& name : words.without) {
    if (auto done = SwitchOff(name, options); !done) return std::move(done).error();
  }
  auto done = ReadTraps(words.stops, Fate::kStop, "--stop-at", options.traps);
  if (!done) return std::move(done).error();
  done = ReadTraps(words.kills, Fate::kKill, "--kill-at", options.traps);
  if (!done) return std::move(done).error();
  if (words.forget_after.empty()) return options;
  auto forget_after = ParseDuration(words.forget_after);
  if (!forget_after) return std::move(forget_after).error().Within("--forget-after");
  options.forget_after = *forget_after;
  return options;
}

}  // namespace

Result<LabOptions> ParseLabOptions(const std::vector<std::string>& args) {
  CLI::App app;
  app.set_help_flag();  // --help is the scheduler's
  app.allow_extras();
  Words words;
  AddOptions(app, words);
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));  // last one first
  } catch (const CLI::ParseError& failure) {
    return Error(ErrorKind::kInvalid, failure.what());
  }
  return Read(words, app.remaining());
}

std::string LabHelp() {
  CLI::App app("gpu-scheduler as no user has it: with rules broken, and stopped where it hurts.",
               "gs-scheduler-lab");
  app.set_help_flag();
  Words words;
  AddOptions(app, words);
  return app.help();
}

}  // namespace gs::crash
