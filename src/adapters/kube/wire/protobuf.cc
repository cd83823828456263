#include "adapters/kube/wire/protobuf.h"

#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/quoted_text.h"
#include "adapters/kube/wire/wire_json.h"
#include "adapters/kube/wire/wire_reader.h"

namespace gs::kube {
namespace {

constexpr std::string_view kMagic{"k8s\0", 4};

// Options are sent as whatever version their request is of.
const ApiType* TypeOf(const ProtobufEnvelope& envelope) {
  const bool is_options = envelope.kind == "DeleteOptions";
  return FindApiType(is_options ? "v1" : envelope.api_version, envelope.kind);
}

}  // namespace

bool IsProtobuf(std::string_view bytes) { return bytes.starts_with(kMagic); }

Error MalformedProtobuf() { return {ErrorKind::kInvalid, "the protobuf is malformed"}; }

Error UnknownProtobufKind(const ProtobufEnvelope& envelope) {
  return Error(ErrorKind::kUnsupported, "no kind \"" + std::string(envelope.kind) +
                                            "\" of version \"" + std::string(envelope.api_version) +
                                            "\" in protobuf")
      .Advise("send JSON");
}

Result<ProtobufEnvelope> OpenProtobuf(std::string_view bytes) {
  if (!IsProtobuf(bytes)) return MalformedProtobuf();
  bytes.remove_prefix(kMagic.size());
  ProtobufEnvelope envelope;
  WireField field;
  WireReader reader(bytes);
  while (reader.Next(field)) {
    if (field.number == 1) {
      envelope.api_version = FieldOf(field.bytes, 1).bytes;
      envelope.kind = FieldOf(field.bytes, 2).bytes;
    } else if (field.number == 2) {
      envelope.object = field.bytes;
    }
  }
  if (reader.is_broken()) return MalformedProtobuf();
  return envelope;
}

Result<std::string> ProtobufToJson(std::string_view bytes) {
  const auto envelope = OpenProtobuf(bytes);
  if (!envelope) return envelope.error();
  const ApiType* type = TypeOf(*envelope);
  if (type == nullptr) return UnknownProtobufKind(*envelope);
  std::string json = R"({"kind":)";
  AppendQuoted(envelope->kind, json);
  json += R"(,"apiVersion":)";
  AppendQuoted(envelope->api_version, json);
  json += ',';
  WireJson writer(WireFields::kAll, json);
  if (!writer.AppendMembers(envelope->object, *type)) return MalformedProtobuf();
  json.back() = '}';
  return json;
}

}  // namespace gs::kube
