#include "programs/machinesets/narration.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"

namespace gs::machinesets {
namespace {

constexpr std::array kChanges{
    std::pair{Change::kCreated, std::string_view("created")},
    std::pair{Change::kUpdated, std::string_view("updated")},
    std::pair{Change::kUnchanged, std::string_view("unchanged")},
    std::pair{Change::kDeleted, std::string_view("deleted")},
    std::pair{Change::kFailed, std::string_view("failed")},
};

std::string Line(std::string_view piece) {
  std::string line;
  for (int i = 0; i < 64; ++i) line += piece;
  return line + "\n";
}

std::string DoubleLine() { return Line("\u2550"); }
std::string SingleLine() { return Line("\u2500"); }

std::string ExtrasOf(const PlannedSet& set) {
  std::string extras;
  if (set.spot) {
    const auto& price = set.spot->max_price;
    extras += "  Spot: " + (price.empty() ? std::string("yes") : "at most " + price) + "\n";
  }
  if (set.autoscale) {
    extras += "  Autoscale: " + std::to_string(set.autoscale->min) + " to " +
              std::to_string(set.autoscale->max) + "\n";
  }
  if (!set.note.empty()) extras += "  Note: " + set.note + "\n";
  return extras;
}

}  // namespace

std::string_view ToString(Change change) { return text::NameOf(kChanges, change); }

void Narration::Begin(const Cluster& cluster, const std::vector<PlannedSet>& plan) {
  out_ << DoubleLine() << "GPU MachineSet Generator - Dynamic Generation\n" << DoubleLine() << "\n";
  out_ << "Cluster Infrastructure ID: " << cluster.infrastructure << "\n";
  out_ << "Platform: " << ToString(cluster.platform);
  if (!cluster.region.empty()) out_ << ", region " << cluster.region;
  out_ << "\n";
  std::set<std::string> told;
  for (const PlannedSet& set : plan) {
    if (!told.insert(set.based_on).second) continue;
    out_ << "Template MachineSet: " << set.based_on << "\n";
    out_ << "Availability Zone: " << (set.zone.empty() ? "none" : set.zone) << "\n";
  }
  out_ << "\n" << std::flush;
}

void Narration::Present(const PlannedSet& set, bool is_new, std::int64_t replicas) {
  out_ << SingleLine() << (is_new ? "Creating" : "Checking") << " GPU MachineSet: " << set.name
       << "\n  Instance Type: " << set.type << "\n  GPU Count: " << set.gpus
       << "\n  Replicas: " << replicas;
  if (!is_new && replicas != set.replicas && !set.autoscale) {
    out_ << " (left as they are; the settings say " << set.replicas << ")";
  }
  out_ << "\n" << ExtrasOf(set) << SingleLine() << std::flush;
}

void Narration::Tell(const Done& done, std::string_view why) {
  const std::string what = done.kind + ": " + done.name;
  if (done.change == Change::kFailed) {
    out_ << "\u2717 Failed " << what << ": " << why << "\n\n" << std::flush;
    return;
  }
  if (done.change == Change::kUnchanged) {
    out_ << "\u2713 Nothing to change in " << what << "\n\n" << std::flush;
    return;
  }
  const bool is_dry = mood_ == Mood::kDry;
  out_ << "\u2713 " << (is_dry ? "Would have " : "Successfully ") << ToString(done.change) << " "
       << what << "\n\n"
       << std::flush;
}

void Narration::Warn(std::string_view sentence) { out_ << "! " << sentence << "\n" << std::flush; }

void Narration::Note(std::string_view sentence) { out_ << sentence << "\n" << std::flush; }

void Narration::End(const std::vector<Done>& all) {
  const auto count = [&](Change change) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Done& done) { return done.change == change; });
  };
  out_ << DoubleLine() << "GPU MachineSet Generation Complete\n" << DoubleLine();
  out_ << "Summary: ";
  out_ << text::Join(kChanges, ", ", [&](const auto& entry) {
    return std::string(entry.second) + " " + std::to_string(count(entry.first));
  });
  out_ << "\n";
  for (const Done& done : all) {
    out_ << "  " << done.kind << " " << done.name << ": " << ToString(done.change) << "\n";
  }
  const bool is_same = std::all_of(
      all.begin(), all.end(), [](const Done& done) { return done.change == Change::kUnchanged; });
  if (is_same)
    out_ << "Nothing has changed.\n";
  else if (mood_ == Mood::kDry)
    out_ << "Dry run: nothing was kept.\n";
  out_ << std::flush;
}

}  // namespace gs::machinesets
