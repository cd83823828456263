// Judge: whether a GPU may be given to new pods, from what was read of it over time.
//
// Trouble counts at once; its end counts after a quiet period, so that a GPU that comes and goes is
// not given away in between. Where the driver asks for a reset, the period begins when it is done.
// Modes that somebody chose (MIG, the word of a machine file) are no trouble: they end when they
// end. Identity is the UUID, so a verdict follows a GPU whose id changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/model/device_report.h"

namespace gs::health {

// Reasons that users and tests meet again.
inline constexpr std::string_view kLost = "lost";
inline constexpr std::string_view kMig = "MIG mode is on";
inline constexpr std::string_view kRemapFailed = "memory that failed could not be replaced";

struct Rules {
  Duration quiet = std::chrono::minutes(5);
  // Errors of programs, not of GPUs.
  std::set<std::int64_t> ignored_xids = {13, 31, 43, 45, 68, 109};
};

struct Verdict {
  model::Health health = model::Health::kHealthy;
  std::string reason;  // empty: healthy

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

class Judge {
 public:
  explicit Judge(Rules rules = {});

  // What an earlier life of this process published: trouble of that time is trouble of now. Before
  // the first report.
  void Remember(const model::Machine& published, TimePoint now);

  // False for errors of programs, which change nothing.
  bool See(const model::GpuFault& fault, TimePoint now);

  // One verdict per device of the report, in its order. Does not change the report.
  [[nodiscard]] std::vector<Verdict> See(const model::DeviceReport& report, TimePoint now);

 private:
  struct Trouble {
    std::string reason;
    TimePoint last;  // when there was a sign of it
  };
  struct Record {
    std::optional<Trouble> trouble;
    std::optional<std::int64_t> uncorrected_ecc;  // at the last reading
    std::int32_t most_links = 0;
  };
  using Records = std::map<std::string, Record>;

  [[nodiscard]] Verdict SeeDevice(const model::DeviceReport& report, std::size_t index,
                                  Record& record, TimePoint now) const;
  void SeeMemory(const model::GpuFacts& facts, Record& record, TimePoint now) const;
  void Forget(std::set<std::string> seen, TimePoint now);
  [[nodiscard]] bool IsOver(const Trouble& trouble, TimePoint now) const;

  Rules rules_;
  Records records_;             // by UUID, or by id where there is none
  std::set<std::string> seen_;  // the keys of the last report
};

}  // namespace gs::health
