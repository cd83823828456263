// The server's half of a WebSocket on which only the server has something to tell: the handshake,
// some binary messages, and the goodbye. What the client sends is not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/server.h"

namespace gs::http {

// Nothing if the client did not ask for a WebSocket with that protocol.
[[nodiscard]] std::optional<Reply> TellByWebSocket(const Headers& headers,
                                                   std::string_view protocol,
                                                   std::vector<std::string> messages);

// One binary message, unmasked as servers send them.
[[nodiscard]] std::string PrintMessage(std::string_view payload);

}  // namespace gs::http
