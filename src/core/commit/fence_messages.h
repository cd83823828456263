// FenceMessages: texts that were never used before. A touch that writes what is already there
// changes nothing, and then it outdates nothing either.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace gs::commit {

class FenceMessages {
 public:
  // `leader` names this process and no other, not even the one that ran here before.
  explicit FenceMessages(std::string leader) : leader_(std::move(leader)) {}

  void Won(std::int64_t transitions) { transitions_ = transitions; }

  // "leader/transitions/count"
  [[nodiscard]] std::string Next() {
    return leader_ + "/" + std::to_string(transitions_) + "/" + std::to_string(++count_);
  }

 private:
  std::string leader_;  // constant after construction
  std::int64_t transitions_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace gs::commit
