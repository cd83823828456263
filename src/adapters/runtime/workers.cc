#include "adapters/runtime/workers.h"

#include <utility>

#include "base/check.h"

namespace gs::runtime {

Workers::Workers(std::size_t threads, std::size_t max_waiting) : waiting_(max_waiting) {
  GS_CHECK(threads > 0);
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

Workers::~Workers() { Stop(Leftover::kDrop); }

Pushed Workers::Submit(Work work) { return waiting_.Push(std::move(work)); }

void Workers::Stop(Leftover leftover) {
  waiting_.Close();
  if (leftover == Leftover::kDrop) dropping_.request_stop();
  threads_.clear();
}

void Workers::Run() {
  const std::stop_token dropping = dropping_.get_token();
  while (auto work = waiting_.Pop(Mailbox<Work>::kNoDeadline, dropping)) (*work)(dropping);
}

}  // namespace gs::runtime
