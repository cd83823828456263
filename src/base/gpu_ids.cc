#include "base/gpu_ids.h"

#include <optional>
#include <set>
#include <utility>

#include "base/parse.h"
#include "base/text.h"

namespace gs {
namespace {

constexpr std::string_view kAdvice = "write GPU ids as 0,1,2";

struct IdRange {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

Result<std::int32_t> TakeId(TextCursor& cursor) {
  cursor.SkipBlanks();
  auto id = TakeInteger(cursor, "a GPU id", {0, kMaxGpuId});
  cursor.SkipBlanks();
  if (id) return static_cast<std::int32_t>(*id);
  if (!id.error().advice().empty()) return std::move(id).error();
  return std::move(id).error().Advise(std::string(kAdvice));
}

Result<IdRange> TakeItem(TextCursor& cursor, IdRanges ranges) {
  const auto first = TakeId(cursor);
  if (!first) return first.error();
  if (ranges == IdRanges::kRefused || !cursor.Take('-')) return IdRange{*first, *first};
  const TextPlace place = cursor.place();
  const auto last = TakeId(cursor);
  if (!last) return last.error();
  if (*last < *first) {
    return Error(ErrorKind::kInvalid, "the range runs backwards")
        .At(place)
        .Advise("write the smaller GPU id first");
  }
  return IdRange{*first, *last};
}

// Ids in the order they came, and which of them came already.
class IdCollector {
 public:
  // The id that was there before, if any.
  std::optional<std::int32_t> Add(IdRange range) {
    for (std::int32_t id = range.first; id <= range.last; ++id) {
      if (!seen_.insert(id).second) return id;
      ids_.emplace_back(id);
    }
    return std::nullopt;
  }
  std::vector<GpuId> Finish() && { return std::move(ids_); }

 private:
  std::vector<GpuId> ids_;
  std::set<std::int32_t> seen_;
};

}  // namespace

Result<std::vector<GpuId>> TakeGpuIds(TextCursor& cursor, IdRanges ranges) {
  IdCollector collector;
  do {
    cursor.SkipBlanks();
    const TextPlace place = cursor.place();
    const auto item = TakeItem(cursor, ranges);
    if (!item) return item.error();
    if (const auto twice = collector.Add(*item)) {
      return Error(ErrorKind::kInvalid, "GPU " + std::to_string(*twice) + " is listed twice")
          .At(place)
          .Advise("write each GPU id once");
    }
  } while (cursor.Take(','));
  return std::move(collector).Finish();
}

Result<std::vector<GpuId>> ParseGpuIds(std::string_view text) {
  TextCursor cursor(text);
  auto ids = TakeGpuIds(cursor, IdRanges::kAllowed);
  if (ids && !cursor.at_end()) {
    return cursor.Expected("',' or '-' or the end of the list").Advise("write GPU ids as 0,2,5-7");
  }
  return ids;
}

std::string PrintGpuIds(const std::vector<GpuId>& ids) {
  return text::Join(ids, ",", [](GpuId id) { return std::to_string(id.number()); });
}

}  // namespace gs
