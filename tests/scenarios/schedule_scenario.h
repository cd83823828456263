// One story of a schedule scenario file: what happens to a cluster, step by step, and what is to be
// seen of it. See schedule/README.md for the words of a step.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace gs::scenarios {

struct ScheduleStory {
  std::string file;
  std::string name;
  boost::json::array steps;  // those that every story of the file begins with included
  std::string starts;        // leader, follower or unsynced
};

// All stories of a file.
[[nodiscard]] Result<std::vector<ScheduleStory>> LoadScheduleScenario(
    const std::filesystem::path& file);

// Lives through it and says what was not as written; paths in it are relative to `root`.
[[nodiscard]] std::vector<std::string> WhatDiffers(const ScheduleStory& story,
                                                   const std::filesystem::path& root);

// Tries everything that the scheduler says would help a pod that waits, wherever the story looks at
// pods that wait, and says what did not help.
struct TriedChanges {
  std::size_t count = 0;
  std::vector<std::string> untrue;
};
[[nodiscard]] TriedChanges TryToldChanges(const ScheduleStory& story,
                                          const std::filesystem::path& root);

}  // namespace gs::scenarios
