// What the scheduler says about pods, one line each, with the pod's name and UID: decisions, why a
// pod waits, once per change of the cause, failed writes, and what should not be. From any thread.
#pragma once

#include <vector>

#include "adapters/runtime/log.h"
#include "base/time.h"
#include "core/cycle/run_notes.h"
#include "core/model/command.h"
#include "programs/scheduler/observe/write_end.h"

namespace gs::scheduler {

// A run of the cycle that began at `now`.
void LogRun(const runtime::Logger& log, const cycle::RunNotes& notes,
            const std::vector<model::Command>& commands, TimePoint now);

// Says nothing of a write that was done.
void LogWrite(const runtime::Logger& log, const WriteEnd& end);

}  // namespace gs::scheduler
