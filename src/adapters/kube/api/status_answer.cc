#include "adapters/kube/api/status_answer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/json_view.h"
#include "adapters/kube/wire/protobuf.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::kube {
namespace {

using model::WriteOutcome;

constexpr IntegerRange kCodes{.min = 0, .max = 999};
// Longer waits are somebody's mistake; whoever is asked to wait a day may ask again after an hour.
constexpr std::int64_t kMaxWaitSeconds = 3600;

StatusAnswer ReadStatus(const JsonView& root) {
  StatusAnswer status;
  const JsonView kind = root.Field("kind");
  if (kind.Text() != "Status") kind.Fail("expected Status, got " + json::Quoted(kind.Text()));
  status.code = root.Field("code").Int(kCodes, 0);
  status.reason = root.Field("reason").Text();
  status.message = root.Field("message").Text();
  const JsonView details = root.Field("details");
  status.resource = details.Field("kind").Text();
  status.name = details.Field("name").Text();
  const JsonView wait = details.Field("retryAfterSeconds");
  if (wait.is_present()) status.retry_after_seconds = wait.Int({}, 0);
  for (const JsonView& cause : details.Field("causes").Items()) {
    status.wrong_fields.push_back(cause.Field("field").Text());
  }
  return status;
}

// An update that names a UID is refused as invalid where another object has the name.
bool IsNamesake(const StatusAnswer& status) {
  return std::ranges::find(status.wrong_fields, "metadata.uid") != status.wrong_fields.end();
}

// A path that the server does not serve is "NotFound" too, but names no object.
bool IsAbsence(const StatusAnswer& status, const NamedObject& object) {
  return status.reason == "NotFound" && (object.name.empty() || status.name == object.name) &&
         (object.resource.empty() || status.resource == object.resource);
}

WriteOutcome OutcomeOf(int code, const StatusAnswer& status, WriteVerb verb,
                       const NamedObject& object) {
  if (code >= 200 && code <= 299) return WriteOutcome::kDone;
  if (code == 404) {
    return IsAbsence(status, object) ? WriteOutcome::kNotFound : WriteOutcome::kUnknown;
  }
  // Turned away at the door: too many requests, or a login that is out of date.
  if (code == 429 || code == 401) return WriteOutcome::kNotExecuted;
  if (code == 409) {
    const bool is_taken = verb == WriteVerb::kCreate && status.reason == "AlreadyExists";
    return is_taken ? WriteOutcome::kAlreadyExists : WriteOutcome::kConflict;
  }
  if (code == 422 && verb != WriteVerb::kCreate && IsNamesake(status)) {
    return WriteOutcome::kNotFound;
  }
  if (code == 408) return WriteOutcome::kUnknown;  // says who gave up, not what had happened
  if (code >= 400 && code <= 499) return WriteOutcome::kRefused;
  // Redirects too: nobody follows them with a write, and where they lead is not known.
  return WriteOutcome::kUnknown;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that servers may write today.
std::optional<TimePoint> ParseHttpDate(std::string_view text) {
  constexpr std::string_view kForm = "Sun, 06 Nov 1994 08:49:37 GMT";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != kForm.size() || !text.ends_with(" GMT")) return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  const std::string number = std::to_string(101 + month / 3).substr(1);
  const auto time =
      ParseTime(std::string(text.substr(12, 4)) + "-" + number + "-" +
                std::string(text.substr(5, 2)) + "T" + std::string(text.substr(17, 8)) + "Z");
  return time ? std::optional(*time) : std::nullopt;
}

std::optional<std::int64_t> SecondsUntil(std::string_view date, std::string_view now) {
  const auto then = ParseHttpDate(text::Trim(date));
  const auto from = ParseHttpDate(text::Trim(now));
  if (!then || !from) return std::nullopt;
  return std::max(std::chrono::duration_cast<std::chrono::seconds>(*then - *from).count(),
                  std::int64_t{0});
}

// The header counts before the body.
std::optional<Duration> WaitOf(const HttpAnswer& answer, const StatusAnswer& status) {
  std::optional<std::int64_t> seconds = status.retry_after_seconds;
  if (const auto header = ParseInt64(text::Trim(answer.retry_after))) seconds = *header;
  if (const auto until = SecondsUntil(answer.retry_after, answer.date)) seconds = until;
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kMaxWaitSeconds));
}

std::string ReasonText(const HttpAnswer& answer, const StatusAnswer& status) {
  std::string reason = std::to_string(answer.code);
  if (!status.reason.empty()) reason += " " + status.reason;
  if (!status.message.empty()) reason += ": " + status.message;
  return reason;
}

Result<StatusAnswer> ParseJsonStatus(std::string_view body) {
  const auto document = JsonDocument::Parse(body);
  if (!document) return Error(document.error()).Within("status");
  StatusAnswer status = ReadStatus(document->root());
  if (auto done = document->Finish(); !done) return std::move(done).error().Within("status");
  return status;
}

// Proxies answer with pages of their own: their first words are all there is to show.
StatusAnswer StatusOrText(std::string_view body) {
  auto status = ParseStatus(body);
  if (status) return *std::move(status);
  StatusAnswer other;
  const std::string_view shown = text::Trim(body);
  if (!shown.empty()) other.message = json::Quoted(shown);
  return other;
}

}  // namespace

// Whoever asked for protobuf is refused in protobuf.
Result<StatusAnswer> ParseStatus(std::string_view body) {
  if (IsProtobuf(body)) {
    const auto json = ProtobufToJson(body);
    if (!json) return Error(json.error()).Within("status");
    return ParseJsonStatus(*json);
  }
  return ParseJsonStatus(body);
}

bool SaysNotFound(std::string_view body, const NamedObject& object) {
  const auto status = ParseStatus(body);
  return status && IsAbsence(*status, object);
}

WriteAnswer ClassifyWrite(const HttpAnswer& answer, WriteVerb verb, const NamedObject& object) {
  if (answer.code == 0) return {.reason = "no answer", .retry_after = {}};
  WriteAnswer write{
      .outcome = OutcomeOf(answer.code, {}, verb, object), .reason = "", .retry_after = {}};
  if (write.outcome == WriteOutcome::kDone) return write;  // the body is the object itself
  const StatusAnswer status = StatusOrText(answer.body);
  write.outcome = OutcomeOf(answer.code, status, verb, object);
  write.reason = ReasonText(answer, status);
  write.retry_after = WaitOf(answer, status);
  return write;
}

}  // namespace gs::kube
