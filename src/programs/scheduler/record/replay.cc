#include "programs/scheduler/record/replay.h"

#include <algorithm>
#include <istream>
#include <sstream>
#include <utility>
#include <vector>

#include "adapters/recording/recording.h"
#include "base/gpu_ids.h"
#include "core/cycle/cycle.h"
#include "core/explain/pod_report.h"

namespace gs::scheduler {
namespace {

std::string At(const std::vector<model::Command>& commands, std::size_t index) {
  return index < commands.size() ? recording::EncodeCommand(commands[index]) : "nothing";
}

// Empty: they are the same.
std::string FirstDifference(const std::vector<model::Command>& then,
                            const std::vector<model::Command>& now) {
  const std::size_t count = std::max(then.size(), now.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (i < then.size() && i < now.size() && then[i] == now[i]) continue;
    return "command " + std::to_string(i + 1) + " was " + At(then, i) + " and is now " + At(now, i);
  }
  return "";
}

std::string Describe(const explain::PodReport& report) {
  std::ostringstream out;
  out << report.pod << " is " << ToString(report.state);
  if (!report.node.empty()) out << " on " << report.node;
  if (report.allocation) out << " with GPU " << PrintGpuIds(report.allocation->gpus.ids);
  if (report.wait) {
    out << ", here since " << PrintTime(report.wait->since) << ", tried " << report.wait->tries
        << " times";
  }
  if (report.reason) out << "\n  " << *report.reason;
  return out.str();
}

Result<std::string> Explain(const std::string& name, const cycle::Cycle& cycle) {
  for (const auto& report :
       explain::ReportPods(cycle.cache(), cycle.pending(), cycle.scheduler())) {
    if (ToString(report.pod) == name) return Describe(report);
  }
  return Error(ErrorKind::kNotFound, "there is no pod " + name + " of this scheduler at that time")
      .Advise("write namespace/name, and another --until for another time");
}

class Replayer {
 public:
  Replayer(const recording::Header& header, const ReplayOptions& options)
      : options_(options), cycle_(header.options) {
    result_.version = header.program_version;
  }

  // Whether to go on.
  bool Take(const recording::Run& run) {
    if (options_.until && run.at > *options_.until) return false;
    if (run.is_draining) cycle_.Drain();
    const auto commands = cycle_.RunOnce(run.events, run.at);
    if (result_.runs == 0) result_.first = run.at;
    ++result_.runs;
    result_.last = run.at;
    result_.events += static_cast<std::int64_t>(run.events.size());
    result_.commands += static_cast<std::int64_t>(commands.size());
    const std::string difference = FirstDifference(run.commands, commands);
    if (difference.empty()) return true;
    result_.difference =
        "in run " + std::to_string(result_.runs) + " at " + PrintTime(run.at) + " " + difference;
    return false;
  }

  void NoteCut() { result_.is_cut = true; }

  Result<ReplayResult> Finish() {
    if (options_.explain.empty()) return std::move(result_);
    auto explanation = Explain(options_.explain, cycle_);
    if (!explanation) return std::move(explanation).error();
    result_.explanation = *std::move(explanation);
    return std::move(result_);
  }

 private:
  const ReplayOptions& options_;
  cycle::Cycle cycle_;
  ReplayResult result_;
};

}  // namespace

Result<ReplayResult> Replay(std::istream& in, const ReplayOptions& options) {
  std::string line;
  std::getline(in, line);
  const auto header = recording::DecodeHeader(line);
  if (!header) return Error(header.error()).Within(options.file);
  Replayer replayer(*header, options);
  for (int number = 2; std::getline(in, line); ++number) {
    auto run = recording::DecodeRun(line);
    if (!run && in.eof()) {  // without the end of a line
      replayer.NoteCut();
      break;
    }
    if (!run) {
      return std::move(run).error().Within("line " + std::to_string(number)).Within(options.file);
    }
    if (!replayer.Take(*run)) break;
  }
  return replayer.Finish();
}

std::string ToString(const ReplayResult& result) {
  std::ostringstream out;
  if (!result.explanation.empty()) out << result.explanation << "\n";
  out << result.runs << " runs, " << result.events << " events, " << result.commands << " commands";
  if (result.runs > 0) {
    out << " from " << PrintTime(result.first) << " to " << PrintTime(result.last);
  }
  out << ", written by version " << result.version << "\n";
  if (result.is_cut) out << "the last line is not whole: its writer died\n";
  if (result.difference.empty()) {
    out << "identical\n";
  } else {
    out << "DIFFERENT: " << result.difference << "\n";
  }
  return out.str();
}

}  // namespace gs::scheduler
