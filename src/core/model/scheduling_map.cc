#include "core/model/scheduling_map.h"

#include <cstdint>
#include <ostream>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "base/text_cursor.h"

namespace gs::model {
namespace {

constexpr std::string_view kAdvice = "write index=node:ids, such as 0=node1:0,1";

// Reads the lines one after the other and remembers where each index was first given.
class MapReader {
 public:
  explicit MapReader(std::string_view text) : cursor_(text) {}

  Result<SchedulingMap> Read() {
    do {
      cursor_.SkipBlanks();
      auto line = ReadLine();
      if (!line) return std::move(line).error();
    } while (cursor_.Take('\n'));
    if (map_.entries.empty()) {
      return Error(ErrorKind::kInvalid, "the map has no entries")
          .At({1, 1})
          .Advise(std::string(kAdvice));
    }
    return std::move(map_);
  }

 private:
  // Leaves the cursor at the end of the line.
  Result<void> ReadLine() {
    if (!cursor_.at_line_end() && cursor_.peek() != '#') {
      auto entry = ReadEntry();
      if (!entry) return entry;
    }
    if (cursor_.peek() == '#') cursor_.SkipToLineEnd();
    if (cursor_.at_line_end()) return {};
    return cursor_.Expected("',' or the end of the line").Advise(std::string(kAdvice));
  }

  Result<void> ReadEntry() {
    auto index = ReadIndex();
    if (!index) return std::move(index).error();
    cursor_.SkipBlanks();
    if (!cursor_.Take('=')) {
      return cursor_.Expected("'=' after the pod index").Advise(std::string(kAdvice));
    }
    auto gpus = TakeNodeGpus(cursor_);
    if (!gpus) return std::move(gpus).error();
    map_.entries.emplace(*index, std::move(gpus).value());
    return {};
  }

  Result<PodIndex> ReadIndex() {
    const TextPlace place = cursor_.place();
    auto number = TakeInteger(cursor_, "a pod index", {0, kInt32Range.max});
    if (!number && !number.error().advice().empty()) return std::move(number).error();
    if (!number) return std::move(number).error().Advise(std::string(kAdvice));
    const PodIndex index(static_cast<std::int32_t>(*number));
    const auto [first, is_new] = first_line_.emplace(index, place.line);
    if (is_new) return index;
    return Error(ErrorKind::kInvalid, "pod index " + std::to_string(*number) +
                                          " is already given in line " +
                                          std::to_string(first->second))
        .At(place)
        .Advise("give each index once; several GPUs of one pod go on one line: 0=node1:0,1");
  }

  TextCursor cursor_;
  SchedulingMap map_;
  std::map<PodIndex, int> first_line_;
};

}  // namespace

const MapEntry* SchedulingMap::Find(PodIndex index) const {
  const auto entry = entries.find(index);
  return entry == entries.end() ? nullptr : &entry->second;
}

Result<SchedulingMap> ParseSchedulingMap(std::string_view text) { return MapReader(text).Read(); }

std::string ToString(const SchedulingMap& map) {
  return text::Join(map.entries, "\n", [](const auto& entry) {
    return std::to_string(entry.first.number()) + "=" + ToString(entry.second);
  });
}

std::ostream& operator<<(std::ostream& out, const SchedulingMap& map) {
  return out << ToString(map);
}

}  // namespace gs::model
