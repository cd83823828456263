// WatchSteps: list a kind page by page, then watch it, for ever: what to do next, and what to tell
// of what came back. A pure state machine; time comes in as an argument, and whoever drives it does
// the requests and the waiting.
//
//            a list is complete
//   list ──────────────────────────► watch ──┐ ended or cut: again from where it came to, once the
//     ▲  ▲ failed: again                │ ▲  │ server has said that it is at least as far
//     └──┘                              │ └──┘
//     └─────────────────────────────────┘ the version is too old (410), or the kind is gone (404)
//
// What is without progress is repeated later and later. Only a complete list says what is gone. A
// kind is missing only where the API server tells so when it is asked what it serves: a 404 can be
// somebody else's.
//
// A server that is behind what it said before was restored from a backup: lists are of the store
// itself, so that only an old answer from somewhere in between could look the same, and a second
// question at once finds that out. Then what was told is not true any more, and a watch would be
// silent until the store has come as far again. That is told once, and nothing after it: whoever
// heard anything has to begin anew, with another WatchSteps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/kube/api/discovery.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/watch_frame.h"
#include "adapters/kube/watch/backoff.h"
#include "adapters/kube/watch/kind_teller.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"

namespace gs::kube {

// Ask for a page of the list, the first one if the token is empty.
struct ListStep {
  std::string continue_token;
  friend bool operator==(const ListStep&, const ListStep&) = default;
};
struct WatchStep {
  ResourceVersion from;
  friend bool operator==(const WatchStep&, const WatchStep&) = default;
};
// Ask which version the kind is at.
struct VersionStep {
  friend bool operator==(const VersionStep&, const VersionStep&) = default;
};
// Ask whether the API server serves the kind.
struct DiscoverStep {
  friend bool operator==(const DiscoverStep&, const DiscoverStep&) = default;
};
struct WaitStep {
  Duration until{0};
  friend bool operator==(const WaitStep&, const WaitStep&) = default;
};
using Step = std::variant<ListStep, WatchStep, VersionStep, DiscoverStep, WaitStep>;

// Why a request brought nothing, or broke off.
struct Refusal {
  int code = 0;        // of HTTP; 0: there was no answer, or not to its end
  std::string reason;  // for people
  std::optional<Duration> retry_after;
};

struct WatchTimes {
  BackoffRange backoff;
  Duration missing_period = std::chrono::seconds(5);  // how often a kind that is missing is tried
};

class WatchSteps {
 public:
  WatchSteps(WatchedKind kind, WatchTimes times, std::uint64_t seed);

  // `now` is monotonic. Do that, and tell how it ended.
  [[nodiscard]] Step Next(Duration now) const;

  // How a ListStep ended.
  void PageArrived(std::string_view body, Duration now, Telling& telling) {
    PageArrived(ParseListPage(body), now, telling);
  }
  // Of a list that is one page, its items may come before the page that they are of, in that
  // version; empty: it is not known yet.
  [[nodiscard]] Result<void> ItemArrived(std::string_view json, const ResourceVersion& version,
                                         Telling& telling);
  void PageArrived(const Result<ListPage>& page, Duration now, Telling& telling);
  void ListRefused(const Refusal& refusal, Duration now, Telling& telling);

  // How a VersionStep ended: with a page of the list, which nothing but its version is taken from.
  void VersionArrived(std::string_view body, Duration now, Telling& telling);
  void VersionRefused(const Refusal& refusal, Duration now, Telling& telling);

  // How a DiscoverStep ended.
  void Discovered(Serving serving, Duration now, Telling& telling);

  // What a WatchStep brings. False: the rest of the stream is worth nothing, end it.
  [[nodiscard]] bool FrameArrived(const WatchFrame& frame, Telling& telling);
  // What has arrived so far has been taken.
  void BatchEnded(Telling& telling) { teller_.TellProgress(telling); }
  // What came cannot be read.
  void StreamLost(const Error& error);
  // In any case, last. Without a refusal: the server ended the stream, or we did.
  void WatchEnded(const std::optional<Refusal>& refusal, Duration now, Telling& telling);

  // Whatever was going on, a complete list comes next.
  void ListAgain();

  [[nodiscard]] const WatchedKind& kind() const { return teller_.kind(); }

 private:
  // Unless it has begun.
  [[nodiscard]] Result<void> BeginList(const ResourceVersion& version);
  [[nodiscard]] Result<void> TakePage(const ListPage& page, Telling& telling);
  void RestartList();
  // The version of an answer is older than what was told.
  void Doubt(const ResourceVersion& version, Duration now, Telling& telling);

  void JudgeProgress(Duration now);
  [[nodiscard]] Duration ResumeDelay();
  void Report(std::string_view doing, Error error, Telling& telling) const;

  WatchTimes times_;  // constant after construction
  KindTeller teller_;
  bool is_watching_ = false;
  bool is_doubted_ = false;  // whether what was told still holds
  bool has_gone_back_ = false;
  Duration not_before_{0};  // of the next request; a running one began about then

  // While listing.
  Backoff list_backoff_;
  std::string continue_token_;            // empty: the next page is the first
  ResourceVersion list_version_;          // of what has come of the list so far; empty: nothing has
  std::optional<ResourceVersion> stale_;  // of a list that was older than what was told
  std::optional<Refusal> not_found_;      // of the list; whose word that is must be found out

  // While watching.
  Backoff watch_backoff_;
  bool may_resume_at_once_ = true;
  bool is_version_known_ = true;           // of the server, since the last stream ended
  std::optional<Refusal> stream_refusal_;  // what the running stream said about its own end
  ResourceVersion began_from_;             // where it began
  int lost_streams_ = 0;                   // in a row, without progress
};

}  // namespace gs::kube
