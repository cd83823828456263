#include "adapters/kube/api/protobuf_page.h"

#include <cstddef>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/protobuf.h"
#include "adapters/kube/wire/wire_json.h"
#include "adapters/kube/wire/wire_reader.h"

namespace gs::kube {
namespace {

constexpr std::string_view kList = "List";

enum MetadataField : std::uint32_t { kResourceVersion = 2, kContinue = 3 };

// Pieces of a text that is still growing.
class ItemTexts {
 public:
  explicit ItemTexts(std::size_t size) { text_.reserve(size); }

  [[nodiscard]] bool Add(std::string_view message, const ApiType& type) {
    const bool is_good = writer_.Append(message, type);
    ends_.push_back(text_.size());
    return is_good;
  }

  void MoveTo(ListPage& page) && {
    page.text = std::make_shared<const std::string>(std::move(text_));
    page.items.reserve(ends_.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      page.items.push_back(std::string_view(*page.text).substr(begin, end - begin));
      begin = end;
    }
  }

 private:
  std::string text_;
  WireJson writer_{WireFields::kRead, text_};
  std::vector<std::size_t> ends_;
};

Result<ListPage> ReadPage(std::string_view list, const ApiType& item) {
  ListPage page;
  ItemTexts texts(list.size());
  WireField field;
  WireReader reader(list);
  while (reader.Next(field)) {
    if (field.number == kListItems && !texts.Add(field.bytes, item)) return MalformedProtobuf();
    if (field.number != kListMetadata) continue;
    if (auto done = ReadListMetadata(field.bytes, page); !done) return std::move(done).error();
  }
  if (reader.is_broken()) return MalformedProtobuf();
  if (page.resource_version.empty()) return NoListVersion();
  std::move(texts).MoveTo(page);
  return page;
}

Result<ListPage> ReadEnvelope(std::string_view body) {
  const auto envelope = OpenProtobuf(body);
  if (!envelope) return envelope.error();
  const auto item = ListItemType(envelope->api_version, envelope->kind);
  if (!item) return item.error();
  return ReadPage(envelope->object, **item);
}

}  // namespace

Result<const ApiType*> ListItemType(std::string_view api_version, std::string_view kind) {
  if (!kind.ends_with(kList)) {
    return Error(ErrorKind::kInvalid,
                 "kind: expected a list of objects, got " + json::Quoted(kind));
  }
  const ApiType* item = FindApiType(api_version, kind.substr(0, kind.size() - kList.size()));
  if (item == nullptr) {
    return UnknownProtobufKind({.api_version = api_version, .kind = kind, .object = {}});
  }
  return item;
}

Result<void> ReadListMetadata(std::string_view metadata, ListPage& page) {
  WireField field;
  WireReader reader(metadata);
  while (reader.Next(field)) {
    if (field.number == kResourceVersion) {
      page.resource_version = ResourceVersion(std::string(field.bytes));
    }
    if (field.number == kContinue) page.continue_token = field.bytes;
  }
  if (reader.is_broken()) return MalformedProtobuf();
  return {};
}

Error NoListVersion() { return {ErrorKind::kInvalid, "metadata.resourceVersion: is missing"}; }

Result<ListPage> ParseProtobufPage(std::string_view body) {
  auto page = ReadEnvelope(body);
  if (!page) return std::move(page).error().Within("list");
  return page;
}

}  // namespace gs::kube
