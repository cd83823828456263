// Objects of the API in protobuf, as typed clients send them and API servers answer: an envelope
// that names the kind, and the object in it. Read only: whatever we say, we say in JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::kube {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// By its first bytes, with which no JSON can begin.
[[nodiscard]] bool IsProtobuf(std::string_view bytes);

// Points into the bytes.
struct ProtobufEnvelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
};
[[nodiscard]] Result<ProtobufEnvelope> OpenProtobuf(std::string_view bytes);

// The object as JSON, with its kind and apiVersion. Refuses what is cut off, nested too deeply, or
// of a kind nothing is known of. Fields that are not known are left out.
[[nodiscard]] Result<std::string> ProtobufToJson(std::string_view bytes);

// What all refusals of broken bytes say.
[[nodiscard]] Error MalformedProtobuf();
[[nodiscard]] Error UnknownProtobufKind(const ProtobufEnvelope& envelope);

}  // namespace gs::kube
