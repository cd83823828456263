#include "core/model/allocation.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/dns_name.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "base/text_cursor.h"
#include "core/model/names.h"

namespace gs::model {
namespace {

constexpr std::array kModes{
    std::pair{AllocationMode::kExclusive, std::string_view("exclusive")},
    std::pair{AllocationMode::kShared, std::string_view("shared")},
    std::pair{AllocationMode::kMap, std::string_view("map")},
};

constexpr std::string_view kVersion = "v1";
constexpr std::string_view kRightAdvice =
    "only the scheduler writes this annotation; another version of it may have";

// Reads the allocation annotation step by step. After the first mistake it reads nothing more and
// keeps that error.
class RightReader {
 public:
  explicit RightReader(std::string_view text) : cursor_(text) {}

  // Fills in by what right; the rest stays as it is.
  Result<void> ReadInto(Allocation& allocation) {
    RequireWord(kVersion);
    allocation.mode = RequireMode();
    allocation.is_enforced = RequireTruth();
    allocation.claim = OptionalClaim();
    allocation.controller = OptionalController();
    if (!error_ && !cursor_.at_end()) Fail(cursor_, "the end of the text");
    if (error_) return std::move(*error_);
    return {};
  }

 private:
  static bool IsWordLetter(char letter) { return letter != ' ' && letter != '='; }

  void RequireWord(std::string_view wanted) {
    const TextCursor before = cursor_;
    if (cursor_.TakeWhile(IsWordLetter) != wanted) Fail(before, "'" + std::string(wanted) + "'");
  }

  // Moves past " key=" if that is next.
  bool TakeKey(std::string_view key) {
    TextCursor ahead = cursor_;
    if (error_ || !ahead.Take(' ') || ahead.TakeWhile(IsWordLetter) != key || !ahead.Take('=')) {
      return false;
    }
    cursor_ = ahead;
    return true;
  }

  AllocationMode RequireMode() {
    if (!TakeKey("mode")) return Fail(cursor_, "' mode='"), AllocationMode::kExclusive;
    const TextCursor before = cursor_;
    const std::string_view word = cursor_.TakeWhile(IsWordLetter);
    // Compared as printed: whatever else is there, this program did not write it.
    for (const auto& [mode, name] : kModes) {
      if (word == name) return mode;
    }
    Fail(before, "one of " + text::NamesOf(kModes));
    return AllocationMode::kExclusive;
  }

  bool RequireTruth() {
    if (!TakeKey("enforced")) return Fail(cursor_, "' enforced='"), true;
    const TextCursor before = cursor_;
    const std::string_view word = cursor_.TakeWhile(IsWordLetter);
    if (word != "true" && word != "false") Fail(before, "true or false");
    return word != "false";
  }

  ClaimName OptionalClaim() {
    if (!TakeKey("claim")) return {};
    const TextCursor before = cursor_;
    const std::string_view name = cursor_.TakeWhile(IsWordLetter);
    if (!CheckDnsSubdomain(name)) Fail(before, "the name of a claim");
    return ClaimName(std::string(name));
  }

  ControllerUid OptionalController() {
    if (!TakeKey("controller")) return {};
    const TextCursor before = cursor_;
    const std::string_view uid = cursor_.TakeWhile([](char) { return true; });
    if (uid.empty()) Fail(before, "the UID of a controller");
    return ControllerUid(std::string(uid));
  }

  void Fail(const TextCursor& where, std::string_view expected) {
    if (!error_) error_ = where.Expected(expected).Advise(std::string(kRightAdvice));
  }

  TextCursor cursor_;
  std::optional<Error> error_;
};

std::string_view TextOf(const Labels& annotations, std::string_view name) {
  const std::string* found = annotations.Find(name);
  return found == nullptr ? std::string_view() : *found;
}

Result<std::vector<GpuUuid>> ParseUuids(std::string_view text, std::size_t gpus) {
  std::vector<GpuUuid> uuids;
  if (text.empty()) return uuids;
  for (const auto uuid : text::Split(text, ',')) uuids.emplace_back(std::string(uuid));
  if (uuids.size() == gpus) return uuids;
  return Error(ErrorKind::kInvalid,
               std::to_string(uuids.size()) + " UUIDs for " + std::to_string(gpus) + " GPUs")
      .Within(std::string(names::kUuids));
}

}  // namespace

std::string_view ToString(AllocationMode mode) { return text::NameOf(kModes, mode); }

std::optional<AllocationMode> ParseAllocationMode(std::string_view text) {
  return text::ValueOf(kModes, text);
}

std::string AllocatedAnnotation(const Allocation& allocation) { return ToString(allocation.gpus); }

Result<NodeGpus> ParseAllocatedAnnotation(std::string_view text) {
  return ParseNodeGpus(text).Within(std::string(names::kAllocated));
}

std::string RightAnnotation(const Allocation& allocation) {
  std::string text = std::string(kVersion) + " mode=" + std::string(ToString(allocation.mode)) +
                     " enforced=" + (allocation.is_enforced ? "true" : "false");
  if (!allocation.claim.empty()) text += " claim=" + allocation.claim.text();
  if (!allocation.controller.empty()) text += " controller=" + allocation.controller.text();
  return text;
}

Labels ResultAnnotations(const Allocation& allocation) {
  if (allocation.gpus.ids.empty()) return {};
  return {
      {std::string(names::kAllocated), AllocatedAnnotation(allocation)},
      {std::string(names::kVisibleDevices), PrintGpuIds(allocation.gpus.ids)},
      {std::string(names::kUuids),
       text::Join(allocation.uuids, ",", [](const GpuUuid& uuid) { return uuid.text(); })},
      {std::string(names::kAllocation), RightAnnotation(allocation)},
  };
}

Result<Allocation> ParseResultAnnotations(const PodUid& pod, const Labels& annotations) {
  Allocation allocation;
  allocation.pod = pod;
  auto gpus = ParseAllocatedAnnotation(TextOf(annotations, names::kAllocated));
  if (!gpus) return std::move(gpus).error();
  allocation.gpus = *std::move(gpus);
  auto uuids = ParseUuids(TextOf(annotations, names::kUuids), allocation.gpus.ids.size());
  if (!uuids) return std::move(uuids).error();
  allocation.uuids = *std::move(uuids);
  auto right = RightReader(TextOf(annotations, names::kAllocation)).ReadInto(allocation);
  if (!right) return std::move(right).error().Within(std::string(names::kAllocation));
  return allocation;
}

std::string ToString(const Allocation& allocation) {
  std::string out = ToString(allocation.gpus) + " " + std::string(ToString(allocation.mode));
  if (!allocation.claim.empty()) out += " through claim " + allocation.claim.text();
  if (!allocation.is_enforced) out += " (planned)";
  return out;
}

std::ostream& operator<<(std::ostream& out, const Allocation& allocation) {
  return out << ToString(allocation);
}

}  // namespace gs::model
