// Inbox: everything the cycle is told, from all threads, in the order it arrives.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "adapters/runtime/mailbox.h"
#include "core/model/event.h"

namespace gs::scheduler {

class Inbox {
 public:
  using Deadline = runtime::Mailbox<std::vector<model::Event>>::Deadline;

  // From any thread. What comes after Close() is dropped: nobody decides any more.
  void Put(std::vector<model::Event> events) { (void)mailbox_.Push(std::move(events)); }
  void Put(model::Event event) {
    std::vector<model::Event> one;
    one.push_back(std::move(event));
    Put(std::move(one));
  }
  void Close() { mailbox_.Close(); }
  [[nodiscard]] bool is_closed() const { return mailbox_.is_closed(); }

  // All that is there, or what comes before the deadline; on the cycle's thread.
  [[nodiscard]] std::vector<model::Event> Take(Deadline deadline) {
    auto batches = mailbox_.Drain(deadline);
    if (batches.size() == 1) return std::move(batches.front());
    std::size_t count = 0;
    for (const auto& batch : batches) count += batch.size();
    std::vector<model::Event> events;
    events.reserve(count);  // a list of all pods may be there
    for (auto& batch : batches) {
      events.insert(events.end(), std::make_move_iterator(batch.begin()),
                    std::make_move_iterator(batch.end()));
    }
    return events;
  }

 private:
  runtime::Mailbox<std::vector<model::Event>> mailbox_;
};

}  // namespace gs::scheduler
