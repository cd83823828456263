// TableBuilder: builds the chooser's tables on a thread of its own, so that the cycle never waits
// for one.
#pragma once

#include <functional>
#include <vector>

#include "adapters/runtime/mailbox.h"
#include "adapters/runtime/workers.h"
#include "core/decide/devices/table.h"
#include "core/decide/devices/table_wishes.h"

namespace gs::scheduler {

struct BuiltTable {
  devices::TableWish wish;
  devices::Table table;
};

class TableBuilder {
 public:
  // `wake` is called on the builder's thread when there is something to take.
  explicit TableBuilder(std::function<void()> wake) : wake_(std::move(wake)) {}

  void Build(std::vector<devices::TableWish> wishes);
  // What is finished, without waiting.
  [[nodiscard]] std::vector<BuiltTable> TakeBuilt();

 private:
  void BuildOne(devices::TableWish wish);

  const std::function<void()> wake_;
  runtime::Mailbox<BuiltTable> built_;
  runtime::Workers workers_{1};  // last: ends before what it uses
};

}  // namespace gs::scheduler
