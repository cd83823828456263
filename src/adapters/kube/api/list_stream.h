// ListStream: a list that arrives piece by piece: each item as soon as it is complete, and at the
// end what stands around them. So a long list never has to be in memory as text. By its first byte
// it is JSON or protobuf.
//
// Whether an item is JSON at all is found out by its decoder, as with pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/protobuf_stream.h"
#include "base/result.h"

namespace gs::kube {

class ListStream {
 public:
  // An error ends the list.
  using TakeItem = std::function<Result<void>(std::string_view json)>;

  // Calls `take` with every item that these bytes complete.
  [[nodiscard]] Result<void> Append(std::string_view bytes, const TakeItem& take);
  // That of the items so far; empty while it is not known, since JSON may say it behind them.
  [[nodiscard]] ResourceVersion version() const {
    return protobuf_ ? protobuf_->version() : ResourceVersion();
  }
  // After the last byte: the page, without its items.
  [[nodiscard]] Result<ListPage> Finish() const {
    return protobuf_ ? protobuf_->Finish() : ParseListPage(around_);
  }

 private:
  // Where the next byte stands.
  enum class Place : std::uint8_t { kAround, kBetweenItems, kInItem };

  [[nodiscard]] Result<void> AppendJson(std::string_view bytes, const TakeItem& take);
  void Follow(char byte);
  void TakeAround(char byte);
  // These return how many bytes they have taken.
  [[nodiscard]] Result<std::size_t> TakeBetweenItems(char byte);
  [[nodiscard]] Result<std::size_t> TakeInItem(std::string_view bytes, const TakeItem& take);

  std::optional<ProtobufStream> protobuf_;
  // Of JSON:
  std::string around_;  // the list without its items
  std::string item_;    // that is arriving
  Place place_ = Place::kAround;
  int depth_ = 0;  // of brackets
  bool is_in_text_ = false;
  bool is_escaped_ = false;
};

}  // namespace gs::kube
