#include "adapters/localcluster/store/status.h"

#include <simdjson.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// `pods "x"`, `deployments.apps "x"`
std::string Named(const Subject& subject) {
  std::string text = subject.plural;
  if (!subject.group.empty()) text += "." + subject.group;
  return text + " \"" + subject.name + "\"";
}

Status About(const Subject& subject, int code, std::string reason, std::string message) {
  return {.code = code,
          .reason = std::move(reason),
          .message = std::move(message),
          .name = subject.name,
          .group = subject.group,
          .kind = subject.plural,
          .uid = {},
          .causes = {}};
}

void AddText(json::object& object, std::string_view field, const std::string& text) {
  if (!text.empty()) object[field] = text;
}

json::object Details(const Status& status) {
  json::object details;
  AddText(details, "name", status.name);
  AddText(details, "group", status.group);
  AddText(details, "kind", status.kind);
  AddText(details, "uid", status.uid);
  if (!status.causes.empty()) {
    json::array causes;
    for (const auto& cause : status.causes) {
      json::object one;
      AddText(one, "reason", cause.reason);
      AddText(one, "message", cause.message);
      AddText(one, "field", cause.field);
      causes.emplace_back(std::move(one));
    }
    details["causes"] = std::move(causes);
  }
  if (status.retry_after_seconds > 0) details["retryAfterSeconds"] = status.retry_after_seconds;
  return details;
}

// A refusal repeats what was asked, which may be bytes of any kind; an answer is UTF-8. Outside of
// ASCII there are only letters of texts, so replacing them leaves the JSON as it is.
std::string OnlyUtf8(std::string text) {
  if (simdjson::validate_utf8(text)) return text;
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) >= 0x80) letter = '?';
  }
  return text;
}

}  // namespace

std::string PrintStatus(const Status& status) {
  const bool is_success = status.code >= 200 && status.code < 300;
  json::object object;
  object["kind"] = "Status";
  object["apiVersion"] = "v1";
  object["metadata"] = json::object();
  object["status"] = is_success ? "Success" : "Failure";
  AddText(object, "message", status.message);
  if (!is_success) AddText(object, "reason", status.reason);
  auto details = Details(status);
  if (!details.empty()) object["details"] = std::move(details);
  // As the real server: what was deleted has none, what was created has.
  if (status.code != 200) object["code"] = status.code;
  return OnlyUtf8(json::serialize(object));
}

Status NotFound(const Subject& subject) {
  return About(subject, 404, "NotFound", Named(subject) + " not found");
}

Status AlreadyExists(const Subject& subject) {
  return About(subject, 409, "AlreadyExists", Named(subject) + " already exists");
}

Status Conflict(const Subject& subject, std::string_view why) {
  return About(subject, 409, "Conflict",
               "Operation cannot be fulfilled on " + Named(subject) + ": " + std::string(why));
}

Status ModifiedMeanwhile(const Subject& subject) {
  return Conflict(subject,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status BadRequest(std::string message) {
  return {.code = 400,
          .reason = "BadRequest",
          .message = std::move(message),
          .name = {},
          .group = {},
          .kind = {},
          .uid = {},
          .causes = {}};
}

Status Forbidden(const Subject& subject, std::string_view why) {
  return About(subject, 403, "Forbidden", Named(subject) + " is forbidden: " + std::string(why));
}

Status Invalid(const std::string& kind, const std::string& group, const std::string& name,
               std::vector<StatusCause> causes) {
  const auto print = [](const StatusCause& cause) { return cause.field + ": " + cause.message; };
  std::string list = text::Join(causes, ", ", print);
  if (causes.size() > 1) list = "[" + list + "]";
  const std::string full = group.empty() ? kind : kind + "." + group;
  return {.code = 422,
          .reason = "Invalid",
          .message = full + " \"" + name + "\" is invalid: " + list,
          .name = name,
          .group = group,
          .kind = kind,
          .uid = {},
          .causes = std::move(causes)};
}

Status Expired(std::string message) {
  return {.code = 410,
          .reason = "Expired",
          .message = std::move(message),
          .name = {},
          .group = {},
          .kind = {},
          .uid = {},
          .causes = {}};
}

}  // namespace gs::localcluster
