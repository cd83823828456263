// Outcome: what a client knows about a request after sending it. The difference between "not sent"
// and "unknown" decides whether a write may be repeated, so it is a type and not a message.
#pragma once

#include <utility>
#include <variant>

#include "adapters/http/message.h"
#include "base/error.h"

namespace gs::http {

// No byte of the request reached the connection, or the server has said that it did not look at it,
// which HTTP/2 has words for: it cannot have acted on it.
struct NotSent {
  Error error;
};

// At least one byte was written and no complete response came: the server may have acted, or may
// still act.
struct Unknown {
  Error error;
};

// A Response is a complete one, whatever its status.
using Outcome = std::variant<Response, NotSent, Unknown>;

// The error of an outcome that is no response; null for a response.
[[nodiscard]] inline const Error* ErrorOf(const Outcome& outcome) {
  if (const auto* not_sent = std::get_if<NotSent>(&outcome)) return &not_sent->error;
  if (const auto* unknown = std::get_if<Unknown>(&outcome)) return &unknown->error;
  return nullptr;
}

}  // namespace gs::http
