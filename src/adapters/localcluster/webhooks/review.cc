#include "adapters/localcluster/webhooks/review.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/json/parse.h"
#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/patch/json_patch.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

std::string_view NameOf(Operation operation) {
  switch (operation) {
    case Operation::kCreate: return "CREATE";
    case Operation::kUpdate: return "UPDATE";
    case Operation::kDelete: break;
  }
  return "DELETE";
}

std::string_view OptionsKind(Operation operation) {
  switch (operation) {
    case Operation::kCreate: return "CreateOptions";
    case Operation::kUpdate: return "UpdateOptions";
    case Operation::kDelete: break;
  }
  return "DeleteOptions";
}

Status Denied(const std::string& webhook, const json::object& response) {
  Status status = BadRequest("admission webhook \"" + webhook + "\" denied the request");
  status.reason.clear();
  const auto code = Int(response, {"status", "code"});
  if (code >= 400 && code < 600) status.code = static_cast<int>(code);
  const auto reason = Text(response, {"status", "reason"});
  const auto message = Text(response, {"status", "message"});
  status.reason = reason;
  if (!message.empty()) {
    status.message += ": " + std::string(message);
  } else if (!reason.empty()) {
    status.message += ": " + std::string(reason);
  } else {
    status.message += " without explanation";
  }
  return status;
}

Result<void> ApplyPatch(const json::object& response, json::object& object) {
  const auto text = Text(response, {"patch"});
  if (text.empty()) return {};
  if (Text(response, {"patchType"}) != "JSONPatch") {
    return Error(ErrorKind::kInvalid, "webhook response has a patch without patchType JSONPatch");
  }
  const auto bytes = kube::DecodeBase64(text);
  if (!bytes) return bytes.error();
  const auto patch = gs::json::ParseJson(*bytes);
  if (!patch) return patch.error();
  auto patched = ApplyJsonPatch(json::value(object), *patch);
  if (!patched) return std::move(patched).error();
  if (!patched->is_object()) return Error(ErrorKind::kInvalid, "the patch leaves no object");
  object = std::move(patched->get_object());
  return {};
}

}  // namespace

json::object ReviewRequest(const Attempt& attempt, const std::string& uid) {
  const Kind& kind = attempt.kind;
  const json::object type{{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
  const json::object resource{
      {"group", kind.group}, {"version", kind.version}, {"resource", kind.plural}};
  json::object request{{"uid", uid},
                       {"kind", type},
                       {"resource", resource},
                       {"requestKind", type},
                       {"requestResource", resource},
                       {"name", attempt.name},
                       {"operation", NameOf(attempt.operation)}};
  if (!attempt.subresource.empty()) {
    request["subResource"] = attempt.subresource;
    request["requestSubResource"] = attempt.subresource;
  }
  if (!attempt.ns.empty()) request["namespace"] = attempt.ns;
  request["userInfo"] =
      json::object{{"username", attempt.user.name},
                   {"groups", json::array(attempt.user.groups.begin(), attempt.user.groups.end())}};
  request["object"] =
      attempt.object == nullptr ? json::value(nullptr) : json::value(*attempt.object);
  request["oldObject"] = attempt.old == nullptr ? json::value(nullptr) : json::value(*attempt.old);
  request["dryRun"] = attempt.is_dry_run;
  request["options"] =
      json::object{{"kind", OptionsKind(attempt.operation)}, {"apiVersion", "meta.k8s.io/v1"}};
  return request;
}

std::string PrintReview(json::object request) {
  return json::serialize(json::object{{"kind", "AdmissionReview"},
                                      {"apiVersion", "admission.k8s.io/v1"},
                                      {"request", std::move(request)}});
}

Result<Verdict> ApplyAnswer(const std::string& webhook, const std::string& uid,
                            std::string_view answer, json::object* object) {
  const auto review = gs::json::ParseJson(answer);
  if (!review) return review.error();
  const auto* response =
      review->is_object() ? FindObject(review->get_object(), {"response"}) : nullptr;
  if (response == nullptr) return Error(ErrorKind::kInvalid, "webhook response was absent");
  if (Text(*response, {"uid"}) != uid) {
    return Error(ErrorKind::kInvalid, "webhook response's uid is not that of the request");
  }
  if (!Bool(*response, {"allowed"})) return Verdict(Denied(webhook, *response));
  if (object != nullptr) {
    auto patched = ApplyPatch(*response, *object);
    if (!patched) return std::move(patched).error();
  }
  return Verdict();
}

}  // namespace gs::localcluster
