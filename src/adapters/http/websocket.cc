#include "adapters/http/websocket.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;

constexpr std::uint8_t kBinary = 0x82;  // the only frame of its message
constexpr std::uint8_t kClose = 0x88;
constexpr std::string_view kNormalEnd = "\x03\xe8";  // 1000

std::string PrintFrame(std::uint8_t kind, std::string_view payload) {
  std::string frame(1, static_cast<char>(kind));
  const auto append_size = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      frame += static_cast<char>((payload.size() >> static_cast<unsigned>(shift)) & 0xffU);
    }
  };
  if (payload.size() < 126) {
    append_size(1);
  } else if (payload.size() <= 0xffff) {
    frame += static_cast<char>(126);
    append_size(2);
  } else {
    frame += static_cast<char>(127);
    append_size(8);
  }
  return frame.append(payload);
}

// Proves that the handshake was understood, as RFC 6455 wants it.
std::string AcceptKey(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  GS_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> encoded{};
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  return {encoded.begin(), encoded.begin() + length};
}

bool Offers(const Headers& headers, std::string_view name, std::string_view wanted) {
  const auto* list = headers.Find(name);
  if (list == nullptr) return false;
  const auto words = text::Split(*list, ',');
  return std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return text::EqualsIgnoringCase(text::Trim(word), wanted);
  });
}

asio::awaitable<void> Tell(std::vector<std::string> messages, BodyWriter& writer) {
  for (const auto& message : messages) {
    if (!co_await writer.Write(PrintMessage(message))) co_return;
  }
  co_await writer.Write(PrintFrame(kClose, kNormalEnd));
}

}  // namespace

std::string PrintMessage(std::string_view payload) { return PrintFrame(kBinary, payload); }

std::optional<Reply> TellByWebSocket(const Headers& headers, std::string_view protocol,
                                     std::vector<std::string> messages) {
  const auto* key = headers.Find("Sec-WebSocket-Key");
  const bool is_asked = key != nullptr && Offers(headers, "Upgrade", "websocket") &&
                        Offers(headers, "Sec-WebSocket-Protocol", protocol);
  if (!is_asked) return std::nullopt;
  Response head{.status = 101,
                .headers = {{"Upgrade", "websocket"},
                            {"Sec-WebSocket-Accept", AcceptKey(*key)},
                            {"Sec-WebSocket-Protocol", std::string(protocol)}},
                .body = {}};
  return Reply(std::move(head), [messages = std::move(messages)](BodyWriter& writer) {
    return Tell(messages, writer);
  });
}

}  // namespace gs::http
