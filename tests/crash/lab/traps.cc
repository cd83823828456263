#include "tests/crash/lab/traps.h"

#include <csignal>
#include <iostream>
#include <string>

namespace gs::crash {

using runtime::MutexLock;

http::ClientHooks Traps::HooksOf(const std::shared_ptr<Traps>& traps) {
  return {.before_write =
              [traps](const http::Request& request) {
                traps->Pass(traps->finder_.BeforeWrite(request));
              },
          .on_answer =
              [traps](const http::Request& request, const http::Response& response) {
                traps->Pass(traps->finder_.OnAnswer(request, response));
              }};
}

void Traps::Pass(const std::vector<Point>& points) {
  for (const Point point : points) {
    for (const Trap& trap : Count(point)) spring_(trap);
  }
}

std::vector<Trap> Traps::Count(Point point) {
  const MutexLock lock(mutex_);
  const std::int32_t pass = ++passed_[point];
  std::vector<Trap> sprung;
  for (const Trap& trap : traps_) {
    if (trap.point == point && trap.pass == pass) sprung.push_back(trap);
  }
  return sprung;
}

void SpringForReal(const Trap& trap) {
  const bool is_stop = trap.fate == Fate::kStop;
  const std::string line = std::string("lab: ") + (is_stop ? "stops" : "is killed") + " at " +
                           std::string(ToString(trap.point)) + "\n";
  std::cerr << line << std::flush;
  // To this thread and not to the process, so that it is this one that cannot go on.
  (void)std::raise(is_stop ? SIGSTOP : SIGKILL);
}

}  // namespace gs::crash
