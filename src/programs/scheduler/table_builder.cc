#include "programs/scheduler/table_builder.h"

#include <chrono>
#include <utility>

namespace gs::scheduler {

void TableBuilder::Build(std::vector<devices::TableWish> wishes) {
  for (devices::TableWish& wish : wishes) {
    // Refused only at the end, when nobody asks any more.
    (void)workers_.Submit([this, wish = std::move(wish)](const std::stop_token&) mutable {
      BuildOne(std::move(wish));
    });
  }
}

void TableBuilder::BuildOne(devices::TableWish wish) {
  auto table = devices::BuildTable(*wish.topology, wish.key);
  if (!table) return;
  (void)built_.Push({std::move(wish), *std::move(table)});
  wake_();
}

std::vector<BuiltTable> TableBuilder::TakeBuilt() {
  return built_.Drain(std::chrono::steady_clock::now());
}

}  // namespace gs::scheduler
