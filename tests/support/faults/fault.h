// What can go wrong between a client and a server, one type each: the words in which a test tells a
// FaultProxy what to do with a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "adapters/http/message.h"
#include "base/time.h"

namespace gs::testing {

struct Pass {};

struct Delay {
  Duration before_forwarding{0};
  Duration before_answering{0};
};

// The connection is closed, and the server never hears of the request.
struct DropBefore {};

// The server executes the request; the connection is closed instead of the answer.
struct DropAfter {};

// The connection is closed now, and the server hears of the request later: a write that arrives
// after everybody has given it up.
struct ForwardLater {
  std::optional<Duration> after;  // by itself; none: when the test says so
};

// The server gets the request twice, one after the other.
struct Duplicate {
  enum class Told : std::uint8_t { kFirst, kSecond };
  Told told = Told::kFirst;  // the answer that the client gets
  Duration gap{0};           // between the first answer and the second request
};

// Waits until the test lets it go, also when its client has given it up meanwhile.
struct Hold {
  enum class Where : std::uint8_t { kBeforeForwarding, kBeforeAnswering };
  Where where = Where::kBeforeForwarding;
};

// Whatever a watch gives comes so much later, in order. Everything else passes.
struct LateWatch {
  Duration late{0};
};

// The proxy answers itself; the server never hears of the request.
struct Answer {
  http::Response response;
};

// The body of the answer ends after so many bytes, without its proper end: half a list, or a watch
// cut in the middle of a frame. A watch that has not come so far goes on.
struct CutAfter {
  std::size_t bytes = 0;
};

// A watch gets a head and then nothing, everything else nothing at all, until it is cut like a
// watch. The server never hears of it.
struct Freeze {};

// Passes, and keeps the answer for a later Replay of the same target.
struct Remember {};

// The remembered answer again, however old it is; passes where there is none.
struct Replay {};

using Fault = std::variant<Pass, Delay, DropBefore, DropAfter, ForwardLater, Duplicate, Hold,
                           LateWatch, Answer, CutAfter, Freeze, Remember, Replay>;

// What to do with a request; `number` counts those that the proxy has got, from 0. Called on I/O
// threads, never twice at a time; must not call the proxy.
using DecideFault = std::function<Fault(const http::Request& request, std::size_t number)>;

}  // namespace gs::testing
