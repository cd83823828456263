#include "adapters/gpu/pod_of_process.h"

#include <algorithm>
#include <string>

#include "adapters/runtime/read_file.h"
#include "base/text.h"

namespace gs::gpu {
namespace {

constexpr std::size_t kMaxCgroupBytes = 64 << 10;
constexpr std::string_view kSlice = ".slice";

bool IsHexDigit(char letter) { return text::IsDigit(letter) || (letter >= 'a' && letter <= 'f'); }

// A UID as the API server makes them, or the hash that the kubelet gives pods from files.
bool IsPodUid(std::string_view uid) {
  if (uid.size() == 32) return std::all_of(uid.begin(), uid.end(), IsHexDigit);
  if (uid.size() != 36) return false;
  for (std::size_t i = 0; i < uid.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? uid[i] != '-' : !IsHexDigit(uid[i])) return false;
  }
  return true;
}

// "pod<uid>" with the cgroupfs driver, "kubepods-burstable-pod<uid with _>.slice" with systemd.
PodUid PodInFolder(std::string_view folder) {
  if (folder.ends_with(kSlice)) {
    folder.remove_suffix(kSlice.size());
    const auto last = folder.rfind("-pod");
    if (!folder.starts_with("kubepods") || last == std::string_view::npos) return {};
    folder.remove_prefix(last + 1);
  }
  if (!folder.starts_with("pod")) return {};
  std::string uid(folder.substr(3));
  std::replace(uid.begin(), uid.end(), '_', '-');
  return IsPodUid(uid) ? PodUid(uid) : PodUid();
}

}  // namespace

PodUid PodInCgroup(std::string_view text) {
  PodUid pod;
  for (const std::string_view line : text::Split(text, '\n')) {
    if (line.find("kubepods") == std::string_view::npos) continue;
    // The innermost, should a node run inside a pod.
    for (const std::string_view folder : text::Split(line, '/')) {
      if (PodUid found = PodInFolder(folder); !found.empty()) pod = std::move(found);
    }
  }
  return pod;
}

PodUid PodOfProcess(const std::filesystem::path& procfs, std::int64_t pid) {
  const auto text = runtime::ReadFile(procfs / std::to_string(pid) / "cgroup", kMaxCgroupBytes);
  return text ? PodInCgroup(*text) : PodUid();
}

}  // namespace gs::gpu
