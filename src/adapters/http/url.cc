#include "adapters/http/url.h"

#include <algorithm>
#include <optional>

#include "base/parse.h"
#include "base/text.h"

namespace gs::http {
namespace {

constexpr std::uint16_t kPlainPort = 80;
constexpr std::uint16_t kTlsPort = 443;
constexpr std::string_view kHex = "0123456789ABCDEF";

Error Refuse(std::string message) {
  return Error(ErrorKind::kInvalid, std::move(message))
      .Advise("write http://host:port/path or https://host:port/path");
}

bool IsLetterOrDigit(char letter) {
  return text::IsDigit(letter) || text::IsLower(letter) || text::IsUpper(letter);
}

bool IsHostLetter(char letter) {
  return IsLetterOrDigit(letter) || letter == '.' || letter == '-' || letter == '_';
}

bool IsAddressLetter(char letter) {
  return text::IsDigit(letter) || letter == ':' || letter == '.' ||
         (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

// What may follow the authority: visible ASCII, and no fragment.
bool IsTargetLetter(char letter) { return letter > ' ' && letter < 0x7F && letter != '#'; }

std::optional<unsigned> HexValue(char letter) {
  const char upper = text::IsLower(letter) ? static_cast<char>(letter - 'a' + 'A') : letter;
  const auto at = kHex.find(upper);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

// Takes "name" or "[address]" off the front.
Result<std::string> TakeHost(std::string_view& rest) {
  const bool is_address = rest.starts_with('[');
  const auto end = is_address ? rest.find(']') : rest.find(':');
  if (is_address && end == std::string_view::npos) return Refuse("'[' without ']'");
  const std::string_view host = is_address ? rest.substr(1, end - 1) : rest.substr(0, end);
  if (host.empty()) return Refuse("the host is missing");
  const bool is_good = is_address ? std::all_of(host.begin(), host.end(), IsAddressLetter) &&
                                        host.find(':') != std::string_view::npos
                                  : std::all_of(host.begin(), host.end(), IsHostLetter);
  if (!is_good) return Refuse("the host has a character that no host has");
  rest.remove_prefix(host.size() + (is_address ? 2 : 0));
  return text::ToLower(host);
}

Result<std::uint16_t> TakePort(std::string_view rest, std::uint16_t fallback) {
  if (rest.empty()) return fallback;
  if (!rest.starts_with(':')) return Refuse("expected ':' and a port after the host");
  const auto port = ParseInt64(rest.substr(1), {.min = 1, .max = 65535});
  if (!port) return Error(port.error()).Within("port");
  return static_cast<std::uint16_t>(*port);
}

Result<Url> ParseRest(std::string_view rest, bool is_tls) {
  Url url{.is_tls = is_tls};
  const auto end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  auto host = TakeHost(authority);
  if (!host) return std::move(host).error();
  url.host = *std::move(host);
  const auto port = TakePort(authority, is_tls ? kTlsPort : kPlainPort);
  if (!port) return port.error();
  url.port = *port;
  const std::string_view target = rest.substr(end);
  if (!std::all_of(target.begin(), target.end(), IsTargetLetter)) {
    return Refuse("a blank, a fragment or a letter beyond ASCII after the host");
  }
  url.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  return url;
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos) return Refuse("expected a URL");
  const std::string_view scheme = text.substr(0, end);
  const bool is_tls = text::EqualsIgnoringCase(scheme, "https");
  if (!is_tls && !text::EqualsIgnoringCase(scheme, "http")) return Refuse("unknown scheme");
  return ParseRest(text.substr(end + 3), is_tls);
}

std::string Authority(const Url& url) {
  const bool is_address = url.host.find(':') != std::string::npos;
  const std::string host = is_address ? "[" + url.host + "]" : url.host;
  const bool is_implied = url.port == (url.is_tls ? kTlsPort : kPlainPort);
  return is_implied ? host : host + ":" + std::to_string(url.port);
}

std::string PrintUrl(const Url& url) {
  return (url.is_tls ? "https://" : "http://") + Authority(url) + url.target;
}

std::string EncodeQuery(std::string_view text) {
  std::string encoded;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (IsLetterOrDigit(letter) || std::string_view("-._~").find(letter) != std::string::npos) {
      encoded += letter;
    } else {
      encoded += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return encoded;
}

Result<std::string> DecodeQuery(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? HexValue(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? HexValue(text[i + 2]) : std::nullopt;
    if (!high || !low) {
      return Error(ErrorKind::kInvalid, "'%' without two hexadecimal digits")
          .At({.line = 1, .column = static_cast<int>(i) + 1});
    }
    decoded += static_cast<char>(*high * 16U + *low);
    i += 2;
  }
  return decoded;
}

}  // namespace gs::http
