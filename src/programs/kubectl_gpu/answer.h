// What a command answers, and how it may look.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gs::kubectl_gpu {

// Part of the contract with scripts; docs/kubectl-gpu.md lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;    // the cluster could not be asked, or the answer written
inline constexpr int kExitBadInput = 2;  // arguments or files are wrong; one line on `err` says how
inline constexpr int kExitNo = 3;        // a sound question whose answer is no

// As kubectl's -o.
enum class AnswerForm : std::uint8_t { kTable, kWide, kJson, kYaml };

[[nodiscard]] constexpr bool IsForPeople(AnswerForm form) {
  return form == AnswerForm::kTable || form == AnswerForm::kWide;
}

struct Answer {
  std::string text;  // what goes to stdout
  int code = kExitDone;
  std::vector<std::string> warnings{};  // for stderr: what could not be seen
};

}  // namespace gs::kubectl_gpu
