// WatchStream: the frames of one watch, pulled as they are wanted. It never waits and owns no
// thread: whoever serves it pulls until nothing comes, sleeps until the store says that something
// changed, and pulls again.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/localcluster/api/list_request.h"
#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

class WatchStream {
 public:
  // An object as this watch shows it: JSON text. Empty: as it is stored.
  using Show = std::function<std::string(const StoredObject& object)>;

  // Where `first_page` is given the watch begins with these objects, and goes on from there.
  // Requires: the store outlives it.
  WatchStream(const Store& store, std::string resource, const Kind& kind, ListRequest request,
              Show show = {});

  // The next frames, at most about so many bytes; "" when there are none yet.
  [[nodiscard]] std::string Pull(std::size_t bytes);
  // A frame that says how far the watch has come; "" if that was not asked for.
  [[nodiscard]] std::string Bookmark();
  // After an error nothing more comes.
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  [[nodiscard]] const std::string& resource() const { return resource_; }
  [[nodiscard]] const ListRequest& request() const { return request_; }

 private:
  void Start();
  void PullInitial(std::size_t bytes, std::string& frames);
  void PullChanges(std::size_t bytes, std::string& frames);
  void AddFrame(const Change& change, std::string& frames);
  [[nodiscard]] std::string ShowObject(const StoredObject& object) const;

  const Store& store_;
  const std::string resource_;
  const std::string api_version_;
  const std::string kind_;
  const ListRequest request_;
  const Show show_;
  std::vector<ObjectPtr> initial_;  // to be told first
  std::size_t told_ = 0;
  bool is_end_of_initial_due_ = false;
  Revision after_ = 0;  // told up to here
  bool has_ended_ = false;
};

}  // namespace gs::localcluster
