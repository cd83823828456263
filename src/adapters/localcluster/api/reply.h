// What the API answers: a whole body, a list whose items are written one by one as they lie in the
// store, or a watch that goes on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/store/status.h"
#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

class WatchStream;

// head, the items with commas between them, tail.
struct ItemsBody {
  std::string head;
  std::vector<ObjectPtr> items;
  std::string tail;
  // Lists of built-in kinds have items without kind and apiVersion, those of custom kinds with.
  bool has_kinds = false;

  // The items from `first` on until about `bytes` are reached; `first` moves on.
  [[nodiscard]] std::string Print(std::size_t& first, std::size_t bytes) const;
};

struct ApiReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::shared_ptr<const ItemsBody> items;  // instead of the body
  std::shared_ptr<WatchStream> watch;      // instead of the body

  // The whole body, for tests and small lists. Requires: no watch.
  [[nodiscard]] std::string Text() const;
};

[[nodiscard]] ApiReply Refuse(const Status& status);
[[nodiscard]] ApiReply Say(int status, std::string body);

}  // namespace gs::localcluster
