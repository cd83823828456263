#include "adapters/kube/api/protobuf_frame.h"

#include <cstdint>
#include <utility>

#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/protobuf.h"
#include "adapters/kube/wire/wire_json.h"
#include "adapters/kube/wire/wire_reader.h"

namespace gs::kube {
namespace {

// Numbers of fields.
constexpr std::uint32_t kFrameType = 1;
constexpr std::uint32_t kFrameObject = 2;
constexpr std::uint32_t kObjectMetadata = 1;
constexpr std::uint32_t kObjectVersion = 6;  // in the metadata

// What refuses says it once, in whatever form it came.
Result<WatchFrame> ErrorFrame(std::string_view status, std::string& json) {
  auto text = ProtobufToJson(status);
  if (!text) return std::move(text).error();
  json = R"({"type":"ERROR","object":)" + *text + "}";
  return ParseWatchFrame(json);
}

Result<WatchFrame> ObjectFrame(WatchEvent event, std::string_view object, std::string& json) {
  const auto envelope = OpenProtobuf(object);
  if (!envelope) return envelope.error();
  const ApiType* type = FindApiType(envelope->api_version, envelope->kind);
  if (type == nullptr) return UnknownProtobufKind(*envelope);
  json.clear();
  if (!WireJson(WireFields::kRead, json).Append(envelope->object, *type)) {
    return MalformedProtobuf();
  }
  const auto version =
      FieldOf(FieldOf(envelope->object, kObjectMetadata).bytes, kObjectVersion).bytes;
  if (version.empty()) {
    return Error(ErrorKind::kInvalid, "object.metadata.resourceVersion: is missing");
  }
  return WatchFrame{
      .event = event, .resource_version = ResourceVersion(std::string(version)), .object = json};
}

Result<WatchFrame> ReadAnyFrame(std::string_view bytes, std::string& json) {
  std::string_view type;
  std::string_view object;
  WireField field;
  WireReader reader(bytes);
  while (reader.Next(field)) {
    if (field.number == kFrameType) type = field.bytes;
    if (field.number == kFrameObject) object = FieldOf(field.bytes, 1).bytes;
  }
  if (reader.is_broken()) return MalformedProtobuf();
  const auto event = ParseWatchEvent(type);
  if (!event) return event.error();
  return *event == WatchEvent::kError ? ErrorFrame(object, json)
                                      : ObjectFrame(*event, object, json);
}

}  // namespace

Result<WatchFrame> ParseProtobufFrame(std::string_view bytes, std::string& json) {
  auto frame = ReadAnyFrame(bytes, json);
  if (!frame) return std::move(frame).error().Within("watch");
  return frame;
}

}  // namespace gs::kube
