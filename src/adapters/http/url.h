// Url: an http or https address in its parts. Only what a client needs: no user names, no
// fragments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::http {

struct Url {
  bool is_tls = false;
  std::string host;  // lower case; an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string target = "/";  // path and query as they go into a request

  friend bool operator==(const Url&, const Url&) = default;
};

// "https://[::1]:6443/api?watch=true". The scheme decides the port where none is written.
[[nodiscard]] Result<Url> ParseUrl(std::string_view text);
// Parsing the text gives the same Url again. A port that the scheme implies is left out.
[[nodiscard]] std::string PrintUrl(const Url& url);

// "host:port" for messages and the Host header: the port only where the scheme does not imply it.
[[nodiscard]] std::string Authority(const Url& url);

// A name or value for a query: everything but letters, digits and -._~ as %XX.
[[nodiscard]] std::string EncodeQuery(std::string_view text);
// The reverse, '+' being a blank. Refuses a '%' without two hexadecimal digits.
[[nodiscard]] Result<std::string> DecodeQuery(std::string_view text);

}  // namespace gs::http
