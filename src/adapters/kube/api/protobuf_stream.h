// ProtobufStream: a list in protobuf that arrives piece by piece: each item as JSON text as soon as
// it is complete. API servers name the kind and the version before the items, and so has to be.
// Inside this folder only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/wire_json.h"
#include "base/result.h"

namespace gs::kube {

class ProtobufStream {
 public:
  using TakeItem = std::function<Result<void>(std::string_view json)>;

  ProtobufStream() = default;
  ProtobufStream(const ProtobufStream&) = delete;
  ProtobufStream& operator=(const ProtobufStream&) = delete;
  ProtobufStream(ProtobufStream&&) = delete;
  ProtobufStream& operator=(ProtobufStream&&) = delete;
  ~ProtobufStream() = default;

  [[nodiscard]] Result<void> Append(std::string_view bytes, const TakeItem& take);
  // Empty until it is known.
  [[nodiscard]] const ResourceVersion& version() const { return page_.resource_version; }
  // After the last byte: the page, without its items.
  [[nodiscard]] Result<ListPage> Finish() const;

 private:
  // Takes one field of what arrives, or steps into the list; how many bytes that were, none if it
  // is not complete yet.
  [[nodiscard]] Result<std::size_t> TakeField(std::string_view bytes, const TakeItem& take);
  [[nodiscard]] Result<void> TakeInEnvelope(std::uint32_t number, std::string_view bytes);
  [[nodiscard]] Result<void> TakeInList(std::uint32_t number, std::string_view bytes,
                                        const TakeItem& take);

  std::string waiting_;  // not complete yet
  bool is_begun_ = false;
  const ApiType* item_ = nullptr;  // null: not known yet
  std::uint64_t list_left_ = 0;    // bytes of the list that are still to come
  bool has_list_ = false;
  ListPage page_;
  std::string json_;  // of one item
  WireJson writer_{WireFields::kRead, json_};
};

}  // namespace gs::kube
