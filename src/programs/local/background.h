// Background: a process that goes on after the command that started it has returned. The command
// waits until the process is ready, or has failed and said why.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "base/result.h"

namespace gs::local {

class Background {
 public:
  enum class Side : std::uint8_t { kParent, kChild };

  // Splits in two. Requires: no other thread runs yet.
  [[nodiscard]] Side Begin();
  // The parent's part: passes on what the child says until it is ready or has failed; the exit
  // code.
  [[nodiscard]] int WaitForChild(std::ostream& out, std::ostream& err) const;
  // The child's part: from here on it is on its own, and what it says goes to the file, which is
  // begun anew. Nothing is reported if the file cannot be written.
  [[nodiscard]] Result<void> ReportReady(const std::string& text,
                                         const std::filesystem::path& log) const;

 private:
  int report_ = -1;      // the end of the pipe that this side has
  int complaints_ = -1;  // the parent's end of the child's standard error
  pid_t child_ = 0;
};

}  // namespace gs::local
