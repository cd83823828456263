// KindTeller: the objects of one kind, as lists and watches bring them, to what is told of them.
//
// Pure. An object that its decoder refuses is a problem and no news: what was told of it before
// stays. An object that cannot even be named is an error, since a list without it would say that
// something is gone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/watch_frame.h"
#include "adapters/kube/watch/known_objects.h"
#include "adapters/kube/watch/shared_parts.h"
#include "adapters/kube/watch/watched_kind.h"
#include "base/error.h"
#include "base/result.h"
#include "core/model/event.h"

namespace gs::kube {

// What is to be told, in this order.
struct Telling {
  std::vector<model::Event> events;
  std::vector<Error> problems;  // for people; nothing is lost because of them
  // The API server is behind what it said before: nothing that was told holds any more.
  std::optional<Error> gone_back;
};

class KindTeller {
 public:
  explicit KindTeller(WatchedKind kind) : kind_(std::move(kind)) {}

  // False: the list is older than what was told. See KnownObjects.
  [[nodiscard]] bool BeginList(const ResourceVersion& version);
  [[nodiscard]] Result<void> TellPage(const ListPage& page, Telling& telling);
  [[nodiscard]] Result<void> TellItem(std::string_view json, Telling& telling);
  // An object of a list whose version is not known yet: it is told by TellHeld.
  [[nodiscard]] Result<void> Hold(std::string_view json);
  void DropHeld() { held_.clear(); }
  // Requires: BeginList.
  void TellHeld(Telling& telling);
  // After all pages: what is gone, and that the view has come to this version.
  void EndList(const ResourceVersion& version, Telling& telling);

  // Requires: no frame of kError.
  [[nodiscard]] Result<void> TellFrame(const WatchFrame& frame, Telling& telling);

  // How far the view has come, unless that was told already. After a batch of frames, which come in
  // the order of their versions.
  void TellProgress(Telling& telling);

  // The cluster does not know the kind. Told once, until a list has been complete again.
  void TellMissing(Telling& telling);

  [[nodiscard]] const WatchedKind& kind() const { return kind_; }
  [[nodiscard]] const ResourceVersion& reached() const { return known_.reached(); }
  // Older than anything that was told.
  [[nodiscard]] bool IsBehind(const ResourceVersion& version) const {
    return known_.IsBehind(version);
  }
  // Told, and no list was complete since.
  [[nodiscard]] bool is_missing() const { return is_missing_; }

 private:
  using Seen = std::optional<Result<model::Event>>;  // nothing: the object is not wanted
  struct Held {
    ObjectMeta meta;
    Seen seen;
  };

  [[nodiscard]] Seen Look(const ObjectMeta& meta, const JsonSource& json);
  // `look` gives a Seen; it is called only if there is news of the object itself.
  template <class LookAtObject>
  void TellNews(const KnownObjects::News& news, const ObjectMeta& meta, LookAtObject look,
                Telling& telling);
  // `version`: from when on it is known to be gone.
  void TellGone(ObjectMeta meta, const ResourceVersion& version, Telling& telling) const;
  void TellReached(Telling& telling);

  WatchedKind kind_;  // constant after construction
  KnownObjects known_;
  SharedParts parts_;
  std::vector<Held> held_;
  ResourceVersion told_reached_;
  bool is_missing_ = false;
};

}  // namespace gs::kube
