// Processor time of this thread: what else the machine does is no part of it.
#pragma once

namespace gs::bench {

[[nodiscard]] double MicrosecondsUsed();

}  // namespace gs::bench
