// ObjectNames: what an API server makes up: uids, and the endings of generated names. From any
// thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

class ObjectNames {
 public:
  // The same seed gives the same names.
  explicit ObjectNames(std::uint64_t seed) : random_(seed) {}

  // A random UUID, version 4.
  [[nodiscard]] std::string Uid() GS_EXCLUDES(mutex_);
  // "web-" to "web-x7f2k": never a vowel, so that no words come out; at most 63 characters.
  [[nodiscard]] std::string Generate(std::string_view base) GS_EXCLUDES(mutex_);

 private:
  runtime::Mutex mutex_;
  std::mt19937_64 random_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::localcluster
