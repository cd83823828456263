// Requests and responses as values, and how their heads are written on the wire. What is written is
// checked first: a line break in a header would start a request that nobody meant to send.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gs::http {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions };

[[nodiscard]] std::string_view ToString(Method method);
[[nodiscard]] std::optional<Method> ParseMethod(std::string_view name);
// Changes nothing on the server, so that sending it twice does no harm.
[[nodiscard]] constexpr bool IsReading(Method method) {
  return method == Method::kGet || method == Method::kHead;
}

// In the order they were added. Names are compared whatever their case.
class Headers {
 public:
  using Entry = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Entry> entries) : entries_(entries) {}

  void Add(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  // The first of that name, or null.
  [[nodiscard]] const std::string* Find(std::string_view name) const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// Who a verified client certificate says the client is; empty without one.
struct Peer {
  std::string name;                 // the common name
  std::vector<std::string> groups;  // the organizations
};

// Content-Length, Transfer-Encoding and Connection belong to this library and are refused in what a
// caller sends. Host is added where it is missing.
struct Request {
  Method method = Method::kGet;
  std::string target = "/";
  Headers headers;
  std::string body;
  Peer peer;  // of requests that a server received
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

[[nodiscard]] Result<void> CheckRequest(const Request& request);
[[nodiscard]] Result<void> CheckResponse(const Response& response);

enum class Framing : std::uint8_t { kLength, kChunked };
enum class Connection : std::uint8_t { kKeep, kClose };

// Start line and headers with the empty line after them. Requires: checked.
[[nodiscard]] std::string PrintHead(const Request& request, std::string_view host);
[[nodiscard]] std::string PrintHead(const Response& response, Framing framing,
                                    Connection connection);
// One chunk of a chunked body. Requires: not empty, since an empty one would end the body.
[[nodiscard]] std::string PrintChunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace gs::http
