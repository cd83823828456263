#include "adapters/localcluster/api/list_request.h"

#include <vector>

#include "base/parse.h"

namespace gs::localcluster {
namespace {

StatusCause ForbiddenField(std::string field, std::string why) {
  return {.reason = "FieldValueForbidden",
          .message = "Forbidden: " + std::move(why),
          .field = std::move(field)};
}

std::optional<VersionMatch> MatchOf(std::string_view word) {
  if (word.empty()) return VersionMatch::kNone;
  if (word == "Exact") return VersionMatch::kExact;
  if (word == "NotOlderThan") return VersionMatch::kNotOlderThan;
  return std::nullopt;
}

void CheckList(const Query& query, std::vector<StatusCause>& causes) {
  const auto word = query.Text("resourceVersionMatch");
  const std::string field = "resourceVersionMatch";
  if (!word.empty()) {
    if (query.Text("resourceVersion").empty()) {
      causes.push_back(ForbiddenField(field,
                                      "resourceVersionMatch is forbidden unless resourceVersion is "
                                      "provided"));
    }
    if (!query.Text("continue").empty()) {
      causes.push_back(
          ForbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (!MatchOf(word)) {
      causes.push_back({.reason = "FieldValueNotSupported",
                        .message = "Unsupported value: \"" + std::string(word) +
                                   "\": supported values: \"\", \"Exact\", \"NotOlderThan\"",
                        .field = field});
    }
    if (word == "Exact" && query.Text("resourceVersion") == "0") {
      causes.push_back(ForbiddenField(
          field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (query.Has("sendInitialEvents")) {
    causes.push_back(
        ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
}

void CheckWatch(const Query& query, std::vector<StatusCause>& causes) {
  const auto word = query.Text("resourceVersionMatch");
  const std::string field = "resourceVersionMatch";
  const bool has_initial = query.Has("sendInitialEvents");
  if (has_initial && word != "NotOlderThan") {
    causes.push_back(ForbiddenField(
        field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (word.empty()) return;
  if (!has_initial) {
    causes.push_back(ForbiddenField(
        field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (word != "NotOlderThan") {
    causes.push_back({.reason = "FieldValueNotSupported",
                      .message = "Unsupported value: \"" + std::string(word) +
                                 "\": supported values: \"NotOlderThan\"",
                      .field = field});
  }
  if (!query.Text("continue").empty()) {
    causes.push_back(
        ForbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
}

Verdict ReadVersion(const Query& query, ListRequest& request) {
  request.resource_version = query.Text("resourceVersion");
  if (request.resource_version.empty()) return std::nullopt;
  const auto number = ParseInt64(request.resource_version, {.min = 0});
  if (!number) {
    return BadRequest("resourceVersion: Invalid value: \"" + request.resource_version +
                      "\": strconv.ParseUint: parsing \"" + request.resource_version +
                      "\": invalid syntax");
  }
  request.revision = static_cast<Revision>(*number);
  return std::nullopt;
}

}  // namespace

Answer<ListRequest> ReadListRequest(const Kind& kind, const ResourcePath& path,
                                    const Query& query) {
  std::vector<StatusCause> causes;
  if (query.Flag("watch")) {
    CheckWatch(query, causes);
  } else {
    CheckList(query, causes);
  }
  if (!causes.empty()) return Invalid("ListOptions", "meta.k8s.io", "", std::move(causes));
  const auto limit = query.Number("limit");
  if (!limit && !query.Text("limit").empty()) {
    return BadRequest("strconv.ParseInt: parsing \"" + std::string(query.Text("limit")) +
                      "\": invalid syntax");
  }
  ListRequest request;
  if (auto refusal = ReadVersion(query, request)) return *refusal;
  auto selection = Selection::Read(kind, query.Text("labelSelector"), query.Text("fieldSelector"));
  if (!selection) return selection.status();
  request.selection = *std::move(selection);
  if (!path.name.empty()) request.selection.RestrictTo(path.name);
  request.ns = kind.is_namespaced ? path.ns : "";
  request.match = MatchOf(query.Text("resourceVersionMatch")).value_or(VersionMatch::kNone);
  request.limit = limit.value_or(0);
  request.continues = query.Text("continue");
  request.has_bookmarks = query.Flag("allowWatchBookmarks");
  request.sends_initial_events = query.Flag("sendInitialEvents");
  request.timeout_seconds = query.Number("timeoutSeconds");
  return request;
}

}  // namespace gs::localcluster
