// GS_CHECK: stop at once when our own reasoning is wrong. Never for input: the outside world gets a
// Result.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gs {

[[noreturn]] inline void FailCheck(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace gs

#define GS_CHECK(condition)                                            \
  do {                                                                 \
    if (!(condition)) ::gs::FailCheck(#condition, __FILE__, __LINE__); \
  } while (false)
