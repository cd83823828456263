// Traps: what becomes of the process at which point, and when.
//
// From any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/runtime/mutex.h"
#include "base/ids.h"
#include "tests/crash/lab/points.h"

namespace gs::crash {

enum class Fate : std::uint8_t {
  kStop,  // SIGSTOP; goes on after SIGCONT
  kKill,  // SIGKILL
};

struct Trap {
  Fate fate = Fate::kStop;
  Point point = Point::kBindingWrite;
  std::int32_t pass = 1;  // the how manieth time it is passed
};

class Traps {
 public:
  using Spring = std::function<void(const Trap&)>;

  // `spring` is called on the thread that came to the point, which waits for it.
  Traps(SchedulerName scheduler, std::vector<Trap> traps, Spring spring)
      : finder_(std::move(scheduler)), traps_(std::move(traps)), spring_(std::move(spring)) {}

  // They keep the traps.
  [[nodiscard]] static http::ClientHooks HooksOf(const std::shared_ptr<Traps>& traps);

 private:
  void Pass(const std::vector<Point>& points) GS_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<Trap> Count(Point point) GS_EXCLUDES(mutex_);

  PointFinder finder_;
  const std::vector<Trap> traps_;
  const Spring spring_;
  runtime::Mutex mutex_;
  std::map<Point, std::int32_t> passed_ GS_GUARDED_BY(mutex_);
};

// Says so on stderr, and raises the signal: the whole process stops before this returns.
void SpringForReal(const Trap& trap);

}  // namespace gs::crash
