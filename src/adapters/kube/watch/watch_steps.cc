#include "adapters/kube/watch/watch_steps.h"

#include <algorithm>
#include <utility>

#include "adapters/kube/api/status_answer.h"

namespace gs::kube {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kTooManyRequests = 429;
constexpr int kInternalError = 500;  // and all beyond are the server's own trouble
constexpr int kBadGateway = 502;     // what came cannot be read

// Seconds. Whoever is asked to wait longer may ask again after an hour.
constexpr std::int64_t kMaxWait = 3600;

// After the end there is nothing to do but to be destroyed.
constexpr Duration kIdle = std::chrono::hours(1);

// A frame that cannot be read comes again from the same version, but a list goes round it.
constexpr int kLostStreamsBeforeList = 3;

// The same request may well be answered later, so that pages which were read are not read again.
bool IsPassing(int code) {
  return code == 0 || code == kUnauthorized || code == kTooManyRequests || code >= kInternalError;
}

Error ToError(const Refusal& refusal) {
  return {IsPassing(refusal.code) ? ErrorKind::kUnavailable : ErrorKind::kInvalid, refusal.reason};
}

// What an ERROR frame says. One without a code is a mistake of the server's.
Refusal ReadRefusal(const WatchFrame& frame) {
  if (frame.is_expired) return {.code = kGone, .reason = "", .retry_after = {}};
  const auto status = ParseStatus(frame.object);
  if (!status) {
    return {.code = kBadGateway, .reason = ToString(status.error()), .retry_after = {}};
  }
  Refusal refusal{.code = kInternalError, .reason = status->reason, .retry_after = {}};
  if (status->code > 0) refusal.code = static_cast<int>(status->code);
  if (!status->message.empty()) refusal.reason += ": " + status->message;
  if (const auto seconds = status->retry_after_seconds) {
    refusal.retry_after = std::chrono::seconds(std::clamp(*seconds, std::int64_t{0}, kMaxWait));
  }
  return refusal;
}

Duration RetryDelay(Backoff& backoff, const Refusal& refusal) {
  return std::max(backoff.Next(), refusal.retry_after.value_or(Duration(0)));
}

Error StaleAnswer(const ResourceVersion& version) {
  return {ErrorKind::kConflict, "the API server answered with version " + version.text() +
                                    ", which is older than what it said before"};
}

Error WentBack(const ResourceVersion& version) {
  return {ErrorKind::kConflict, "the API server is at version " + version.text() +
                                    ", which is older than what it said before: its store was "
                                    "restored from a backup, or it is another cluster's"};
}

// The list was refused with 404.
Error WhyNotMissing(Serving serving, const Refusal& refusal) {
  const char* why = serving == Serving::kServed
                        ? ", but the API server says that it serves the kind"
                        : ", and whether the API server serves the kind could not be found out";
  return Error(ErrorKind::kUnavailable, refusal.reason + why)
      .Advise(
          "look at what stands between this program and the API server, and at its right to "
          "read /apis");
}

}  // namespace

WatchSteps::WatchSteps(WatchedKind kind, WatchTimes times, std::uint64_t seed)
    : times_(times),
      teller_(std::move(kind)),
      list_backoff_(times.backoff, seed),
      watch_backoff_(times.backoff, ~seed) {}

Step WatchSteps::Next(Duration now) const {
  if (has_gone_back_) return WaitStep{now + kIdle};
  if (now < not_before_) return WaitStep{not_before_};
  if (is_doubted_) return VersionStep{};
  if (not_found_) return DiscoverStep{};
  if (!is_watching_) return ListStep{continue_token_};
  if (!is_version_known_) return VersionStep{};
  return WatchStep{teller_.reached()};
}

void WatchSteps::ListAgain() {
  is_watching_ = false;
  stream_refusal_.reset();
  not_found_.reset();
  RestartList();
}

void WatchSteps::Doubt(const ResourceVersion& version, Duration now, Telling& telling) {
  not_before_ = now;
  has_gone_back_ = std::exchange(is_doubted_, true);
  if (has_gone_back_) {
    telling.gone_back = WentBack(version).Within("listing " + TitleOf(kind().collection.resource));
  } else {
    Report("listing", StaleAnswer(version), telling);
  }
}

// --- listing ---

void WatchSteps::RestartList() {
  continue_token_.clear();
  list_version_ = {};
  teller_.DropHeld();
}

void WatchSteps::PageArrived(const Result<ListPage>& page, Duration now, Telling& telling) {
  const Result<void> taken = page ? TakePage(*page, telling) : Result<void>(page.error());
  if (!taken) {
    RestartList();
    not_before_ = now + list_backoff_.Next();
    if (stale_) return Doubt(*std::exchange(stale_, std::nullopt), now, telling);
    return Report("listing", taken.error(), telling);
  }
  not_before_ = now;
  continue_token_ = page->continue_token;
  if (!continue_token_.empty()) return;
  began_from_ = std::exchange(list_version_, {});
  teller_.EndList(began_from_, telling);
  list_backoff_.Reset();
  is_watching_ = true;
  is_version_known_ = true;
  lost_streams_ = 0;
}

Result<void> WatchSteps::ItemArrived(std::string_view json, const ResourceVersion& version,
                                     Telling& telling) {
  if (version.empty()) return teller_.Hold(json);
  if (auto begun = BeginList(version); !begun) return begun;
  return teller_.TellItem(json, telling);
}

Result<void> WatchSteps::BeginList(const ResourceVersion& version) {
  if (!list_version_.empty()) return {};
  if (!teller_.BeginList(version)) {
    stale_ = version;
    return StaleAnswer(version);
  }
  list_version_ = version;
  return {};
}

Result<void> WatchSteps::TakePage(const ListPage& page, Telling& telling) {
  if (auto begun = BeginList(page.resource_version); !begun) return begun;
  // What is gone can only be said of one state, not of pages of several.
  if (page.resource_version != list_version_) {
    return Error(ErrorKind::kConflict, "a page of version " + page.resource_version.text() +
                                           " follows pages of version " + list_version_.text());
  }
  teller_.TellHeld(telling);
  return teller_.TellPage(page, telling);
}

void WatchSteps::ListRefused(const Refusal& refusal, Duration now, Telling& telling) {
  // What has come of a list without pages cannot be gone on with.
  if (!IsPassing(refusal.code) || continue_token_.empty()) RestartList();
  if (refusal.code == kNotFound && kind().may_be_missing) {
    not_before_ = now;
    not_found_ = refusal;
    if (teller_.is_missing()) Discovered(Serving::kNotServed, now, telling);  // nothing is new
    return;
  }
  if (refusal.code == kForbidden && kind().may_be_forbidden) teller_.TellMissing(telling);
  Report("listing", ToError(refusal), telling);
  not_before_ = now + RetryDelay(list_backoff_, refusal);
}

void WatchSteps::Discovered(Serving serving, Duration now, Telling& telling) {
  const Refusal refusal = *std::exchange(not_found_, std::nullopt);
  if (serving == Serving::kNotServed) {
    teller_.TellMissing(telling);
    list_backoff_.Reset();
    not_before_ = now + times_.missing_period;
    return;
  }
  Report("listing", WhyNotMissing(serving, refusal), telling);
  not_before_ = now + RetryDelay(list_backoff_, refusal);
}

// --- watching ---

void WatchSteps::VersionArrived(std::string_view body, Duration now, Telling& telling) {
  const auto page = ParseListPage(body);
  if (!page) {
    Report("watching", page.error(), telling);
    not_before_ = now + watch_backoff_.Next();
    return;
  }
  const ResourceVersion& version = page->resource_version;
  if (teller_.IsBehind(version)) return Doubt(version, now, telling);
  is_doubted_ = false;
  is_version_known_ = true;
  not_before_ = now;
}

void WatchSteps::VersionRefused(const Refusal& refusal, Duration now, Telling& telling) {
  if (refusal.code == kNotFound) is_watching_ = false;  // as for a watch
  Report("watching", ToError(refusal), telling);
  not_before_ = now + RetryDelay(watch_backoff_, refusal);
}

bool WatchSteps::FrameArrived(const WatchFrame& frame, Telling& telling) {
  if (frame.event == WatchEvent::kError) {
    stream_refusal_ = ReadRefusal(frame);
    return false;
  }
  const auto told = teller_.TellFrame(frame, telling);
  if (!told) StreamLost(told.error());
  return told.ok();
}

void WatchSteps::StreamLost(const Error& error) {
  stream_refusal_ = {.code = kBadGateway, .reason = ToString(error), .retry_after = {}};
  ++lost_streams_;
}

void WatchSteps::WatchEnded(const std::optional<Refusal>& refusal, Duration now, Telling& telling) {
  JudgeProgress(now);
  is_version_known_ = false;
  const auto said_inside = std::exchange(stream_refusal_, std::nullopt);
  const auto& why = said_inside ? said_inside : refusal;
  if (why && (why->code == kGone || why->code == kNotFound)) {
    is_watching_ = false;  // a list says what there is, or that the kind is gone
    not_before_ = now + ResumeDelay();
    return;
  }
  if (why) Report("watching", ToError(*why), telling);
  if (lost_streams_ >= kLostStreamsBeforeList) is_watching_ = false;
  const bool is_only_cut = !why || why->code == 0;
  not_before_ = now + (is_only_cut ? ResumeDelay() : RetryDelay(watch_backoff_, *why));
}

// A stream that lasted has done its work even if nothing happened.
void WatchSteps::JudgeProgress(Duration now) {
  const bool has_moved = teller_.reached() != std::exchange(began_from_, teller_.reached());
  if (!has_moved && now - not_before_ < times_.backoff.max) return;
  watch_backoff_.Reset();
  may_resume_at_once_ = true;
  lost_streams_ = 0;
}

Duration WatchSteps::ResumeDelay() {
  return std::exchange(may_resume_at_once_, false) ? Duration(0) : watch_backoff_.Next();
}

void WatchSteps::Report(std::string_view doing, Error error, Telling& telling) const {
  telling.problems.push_back(
      std::move(error).Within(std::string(doing) + " " + TitleOf(kind().collection.resource)));
}

}  // namespace gs::kube
