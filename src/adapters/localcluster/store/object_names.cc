#include "adapters/localcluster/store/object_names.h"

#include <array>
#include <cstdio>

namespace gs::localcluster {
namespace {

using runtime::MutexLock;

constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kEnding = 5;
constexpr std::size_t kMaxName = 63;

}  // namespace

std::string ObjectNames::Uid() {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  {
    const MutexLock lock(mutex_);
    high = random_();
    low = random_();
  }
  std::array<char, 37> text{};
  (void)std::snprintf(
      text.data(), text.size(), "%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(high >> 32U),
      static_cast<unsigned>((high >> 16U) & 0xffffU), static_cast<unsigned>(high & 0xfffU),
      static_cast<unsigned>(0x8000U | ((low >> 48U) & 0x3fffU)),
      static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return text.data();
}

std::string ObjectNames::Generate(std::string_view base) {
  std::string name(base.substr(0, kMaxName - kEnding));
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < kEnding; ++i) name += kLetters[random_() % kLetters.size()];
  return name;
}

}  // namespace gs::localcluster
