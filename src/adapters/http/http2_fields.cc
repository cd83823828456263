#include "adapters/http/http2_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/parse.h"
#include "base/text.h"

namespace gs::http {
namespace {

constexpr std::array<std::string_view, 5> kOfTheConnection = {"Keep-Alive", "Proxy-Connection",
                                                              "TE", "Trailer", "Upgrade"};

bool IsOfTheConnection(std::string_view name) {
  return std::any_of(kOfTheConnection.begin(), kOfTheConnection.end(),
                     [&](std::string_view one) { return text::EqualsIgnoringCase(name, one); });
}

// The library copies what it is given, and writes names in lower case.
nghttp2_nv Field(std::string_view name, std::string_view value) {
  // It only reads, but its type says nothing of that.
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // NOLINT: see above
  };
  return {.name = bytes(name),
          .value = bytes(value),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

std::string_view Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

Result<std::vector<nghttp2_nv>> FieldsOf(const Request& request, const std::string& authority,
                                         const std::string& length) {
  const std::string* host = request.headers.Find("Host");
  std::vector<nghttp2_nv> fields;
  fields.reserve(request.headers.entries().size() + 5);
  fields.push_back(Field(":method", ToString(request.method)));
  fields.push_back(Field(":scheme", "https"));
  fields.push_back(Field(":authority", host == nullptr ? authority : *host));
  fields.push_back(Field(":path", request.target));
  for (const auto& [name, value] : request.headers.entries()) {
    if (IsOfTheConnection(name)) {
      return Error(ErrorKind::kInvalid, "HTTP/2 has no such header").Within("header " + name);
    }
    if (!text::EqualsIgnoringCase(name, "Host")) fields.push_back(Field(name, value));
  }
  if (!request.body.empty()) fields.push_back(Field("content-length", length));
  return fields;
}

void TakeField(Response& response, const std::uint8_t* name, std::size_t name_size,
               const std::uint8_t* value, std::size_t value_size) {
  const std::string_view key = Text(name, name_size);
  const std::string_view text = Text(value, value_size);
  if (key == ":status") {
    const auto status = ParseInt32(text, {100, 599});
    response.status = status ? *status : 0;
  } else if (!key.starts_with(':')) {
    response.headers.Add(std::string(key), std::string(text));
  }
}

}  // namespace gs::http
