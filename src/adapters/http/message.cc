#include "adapters/http/message.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/check.h"
#include "base/text.h"

namespace gs::http {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods = {{
    {Method::kGet, "GET"},
    {Method::kHead, "HEAD"},
    {Method::kPost, "POST"},
    {Method::kPut, "PUT"},
    {Method::kPatch, "PATCH"},
    {Method::kDelete, "DELETE"},
    {Method::kOptions, "OPTIONS"},
}};

// For people who read the wire; programs read the number.
constexpr std::array<std::pair<int, std::string_view>, 23> kReasons = {{
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {410, "Gone"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
}};

constexpr std::array<std::string_view, 3> kOurs = {"Content-Length", "Transfer-Encoding",
                                                   "Connection"};

bool IsNameLetter(char letter) {
  return text::IsDigit(letter) || text::IsLower(letter) || text::IsUpper(letter) ||
         std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

bool IsValueLetter(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
}

Error Refuse(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }

Result<void> CheckHeaders(const Headers& headers) {
  for (const auto& [name, value] : headers.entries()) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), IsNameLetter)) {
      return Refuse("a header name has a character that none may have");
    }
    if (!std::all_of(value.begin(), value.end(), IsValueLetter)) {
      return Refuse("the value has a control character").Within("header " + name);
    }
    for (const std::string_view ours : kOurs) {
      if (!text::EqualsIgnoringCase(name, ours)) continue;
      return Refuse("is written by the HTTP layer").Advise("leave it out").Within("header " + name);
    }
  }
  return {};
}

void AppendHeaders(std::string& head, const Headers& headers) {
  for (const auto& [name, value] : headers.entries()) head += name + ": " + value + "\r\n";
}

bool HasBody(const Request& request) {
  return !request.body.empty() || request.method == Method::kPost ||
         request.method == Method::kPut || request.method == Method::kPatch;
}

std::string Length(std::size_t bytes) {
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

bool StatusHasBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

std::string_view ToString(Method method) { return text::NameOf(kMethods, method); }

std::optional<Method> ParseMethod(std::string_view name) {
  // Methods, unlike headers, have a case.
  for (const auto& [method, known] : kMethods) {
    if (known == name) return method;
  }
  return std::nullopt;
}

const std::string* Headers::Find(std::string_view name) const {
  for (const auto& [known, value] : entries_) {
    if (text::EqualsIgnoringCase(known, name)) return &value;
  }
  return nullptr;
}

Result<void> CheckRequest(const Request& request) {
  const auto is_visible = [](char letter) { return letter > ' ' && letter < 0x7F; };
  if (!request.target.starts_with('/') ||
      !std::all_of(request.target.begin(), request.target.end(), is_visible)) {
    return Refuse("the target must start with '/' and be visible ASCII").Advise("encode the rest");
  }
  return CheckHeaders(request.headers);
}

Result<void> CheckResponse(const Response& response) {
  const bool is_switch = response.status == 101;
  if ((response.status < 200 && !is_switch) || response.status > 599) {
    return Refuse("no final status: " + std::to_string(response.status));
  }
  return CheckHeaders(response.headers);
}

std::string PrintHead(const Request& request, std::string_view host) {
  std::string head = std::string(ToString(request.method)) + " " + request.target + " HTTP/1.1\r\n";
  if (request.headers.Find("Host") == nullptr) head += "Host: " + std::string(host) + "\r\n";
  AppendHeaders(head, request.headers);
  if (HasBody(request)) head += Length(request.body.size());
  return head + "\r\n";
}

std::string PrintHead(const Response& response, Framing framing, Connection connection) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  const std::string_view reason = text::NameOf(kReasons, response.status);
  head += (reason == "?" ? "" : std::string(reason)) + "\r\n";
  AppendHeaders(head, response.headers);
  if (response.status == 101) {
    head += "Connection: Upgrade\r\n";
  } else if (connection == Connection::kClose) {
    head += "Connection: close\r\n";
  }
  if (framing == Framing::kChunked && response.status != 101) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (StatusHasBody(response.status)) {
    head += Length(response.body.size());
  }
  return head + "\r\n";
}

std::string PrintChunk(std::string_view bytes) {
  GS_CHECK(!bytes.empty());
  std::array<char, 24> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return size.data() + std::string(bytes) + "\r\n";
}

}  // namespace gs::http
