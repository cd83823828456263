#include "adapters/localcluster/api/api.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/localcluster/api/binding.h"
#include "adapters/localcluster/api/delete_request.h"
#include "adapters/localcluster/api/discovery.h"
#include "adapters/localcluster/api/eviction.h"
#include "adapters/localcluster/api/list.h"
#include "adapters/localcluster/api/patch_request.h"
#include "adapters/localcluster/api/scale.h"
#include "adapters/localcluster/api/table_reply.h"
#include "adapters/localcluster/api/watch_stream.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"
#include "adapters/localcluster/wire/misfits.h"
#include "adapters/localcluster/wire/unknown_fields.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using http::Method;

Status UnknownResource() {
  Status status = BadRequest("the server could not find the requested resource");
  status.code = 404;
  status.reason = "NotFound";
  return status;
}

Status WrongMethod() {
  Status status = BadRequest("the server does not allow this method on the requested resource");
  status.code = 405;
  status.reason = "MethodNotAllowed";
  return status;
}

Status NotServed(std::string message) {
  Status status = BadRequest(std::move(message));
  status.code = 501;
  status.reason = "NotImplemented";
  return status;
}

bool IsRead(Method method) { return method == Method::kGet || method == Method::kHead; }

WriteOptions OptionsOf(const ApiRequest& request, std::string subresource = "") {
  return {.user = request.user,
          .is_dry_run = request.query.Text("dryRun") == "All",
          .subresource = std::move(subresource)};
}

// What the body says it is must be what the path is about. Nothing said is fine.
Verdict CheckType(const Kind& kind, json::object& object) {
  const auto type = Text(object, {"kind"});
  const auto version = Text(object, {"apiVersion"});
  if ((!type.empty() && type != kind.kind) || (!version.empty() && version != kind.api_version())) {
    return BadRequest("the object provided is unrecognized: " + std::string(version) +
                      ", Kind=" + std::string(type) + " does not match " + kind.api_version() +
                      ", Kind=" + kind.kind);
  }
  object["kind"] = kind.kind;
  object["apiVersion"] = kind.api_version();
  return std::nullopt;
}

Verdict CheckName(const std::string& name, const json::object& object) {
  const auto given = Text(object, {"metadata", "name"});
  if (given == name) return std::nullopt;
  return BadRequest("the name of the object (" + std::string(given) +
                    ") does not match the name on the URL (" + name + ")");
}

// Values of the wrong type are refused. Fields that a built-in kind does not have never reach the
// store; a strict client is told.
Verdict CheckFields(const Kind& kind, const Query& query, json::object& object) {
  const auto* type = kind.is_custom ? nullptr : kube::FindApiType(kind.api_version(), kind.kind);
  if (type == nullptr) return std::nullopt;
  const std::string problem =
      kind.kind + " in version \"" + kind.version + "\" cannot be handled as a " + kind.kind + ": ";
  if (const auto misfit = FindMisfit(*type, object)) {
    return BadRequest(problem + "json: " + *misfit);
  }
  const auto unknown = DropUnknownFields(*type, object);
  if (unknown.empty() || query.Text("fieldValidation") != "Strict") return std::nullopt;
  const auto print = [](const std::string& field) { return "unknown field \"" + field + "\""; };
  return BadRequest(problem + "strict decoding error: " + text::Join(unknown, ", ", print));
}

Status Success(const Kind& kind, const StoredObject& object) {
  Status status;
  status.code = 200;
  status.reason.clear();
  status.name = object.name;
  status.group = kind.group;
  status.kind = kind.plural;
  status.uid = object.uid;
  return status;
}

std::string Created() {
  Status status;
  status.code = 201;
  status.reason.clear();
  return PrintStatus(status);
}

bool IsHealthPath(std::string_view path) {
  for (const std::string_view root : {"/healthz", "/livez", "/readyz"}) {
    if (path == root || (path.starts_with(root) && path[root.size()] == '/')) return true;
  }
  return false;
}

}  // namespace

ApiReply Api::Handle(const ApiRequest& request) {
  const std::string_view path = request.path;
  if (IsRead(request.method)) {
    if (IsHealthPath(path)) {
      auto reply = Say(200, "ok");
      reply.content_type = "text/plain; charset=utf-8";
      return reply;
    }
    if (path == "/version" || path == "/version/") return Say(200, PrintVersion());
    if (path == "/") {
      return Say(200, R"({"paths":["/api","/apis","/healthz","/livez","/openapi/v3","/readyz",)"
                      R"("/version"]})");
    }
    if (auto reply = AnswerDiscovery(objects_.kinds(), path, request.accept)) return *reply;
    if (auto reply = AnswerOpenApi(objects_.kinds(), path)) return *reply;
  }
  return HandleResource(request);
}

ApiReply Api::HandleResource(const ApiRequest& request) {
  auto path = ParseResourcePath(request.path);
  if (!path) return Refuse(UnknownResource());
  auto view = FindView(objects_.kinds(), path->group, path->version, path->plural);
  if (!view.asked || (!view.asked->is_namespaced && !path->ns.empty())) {
    return Refuse(UnknownResource());
  }
  const bool needs_namespace = !path->name.empty() || request.method == Method::kPost;
  if (view.asked->is_namespaced && path->ns.empty() && needs_namespace) {
    return Refuse(path->name.empty() ? WrongMethod() : UnknownResource());
  }
  const Call call{.request = request, .path = *std::move(path), .view = std::move(view)};
  if (!call.view.asked->verbs.empty()) return Review(call);
  if (call.path.name.empty()) return HandleCollection(call);
  return call.path.subresource.empty() ? HandleObject(call) : HandlePart(call);
}

ApiReply Api::HandleCollection(const Call& call) {
  switch (call.request.method) {
    case Method::kGet:
    case Method::kHead: return call.request.query.Flag("watch") ? Watch(call) : List(call);
    case Method::kPost: return Create(call);
    case Method::kDelete: return DeleteMany(call);
    default: return Refuse(WrongMethod());
  }
}

ApiReply Api::HandleObject(const Call& call) {
  switch (call.request.method) {
    case Method::kGet:
    case Method::kHead: return call.request.query.Flag("watch") ? Watch(call) : Read(call);
    case Method::kPut: return Replace(call, Part::kMain);
    case Method::kPatch: return Patch(call, Part::kMain);
    case Method::kDelete: return Delete(call);
    default: return Refuse(WrongMethod());
  }
}

ApiReply Api::HandlePart(const Call& call) {
  const auto& part = call.path.subresource;
  const auto method = call.request.method;
  if (!call.view.asked->Has(part)) return Refuse(UnknownResource());
  if (part == "status") {
    if (IsRead(method)) return Read(call);
    if (method == Method::kPut) return Replace(call, Part::kStatus);
    if (method == Method::kPatch) return Patch(call, Part::kStatus);
  }
  if (part == "scale") return Scale(call);
  if (part == "finalize" && method == Method::kPut) return Replace(call, Part::kFinalize);
  if (part == "binding" && method == Method::kPost) return Bind(call, call.path.name);
  if (part == "eviction" && method == Method::kPost) return Evict(call);
  if (part == "log" || part == "exec") {
    const auto pod = objects_.Get(*call.view.stored, call.path.ns, call.path.name);
    if (!pod) return Refuse(pod.status());
    return Refuse(NotServed("no kubelet answers for " + part + " here"));
  }
  return Refuse(WrongMethod());
}

ApiReply Api::Show(const Call& call, int status, const StoredObject& object) const {
  const auto table = TableReply::For(objects_.store(), call.view, call.request);
  if (!table) return Refuse(table.status());
  if (*table) return Say(status, (*table)->PrintOne(object, objects_.clock().WallTime()));
  return Say(status, call.view.Print(object));
}

ApiReply Api::Create(const Call& call) {
  auto object = ReadObject(call.request);
  if (!object) return Refuse(object.status());
  if (auto refusal = CheckType(*call.view.asked, *object)) return Refuse(*refusal);
  if (auto refusal = CheckFields(*call.view.asked, call.request.query, *object)) {
    return Refuse(*refusal);
  }
  const auto made =
      objects_.Create(*call.view.stored, call.path.ns, call.view.ToStored(*std::move(object)),
                      OptionsOf(call.request));
  return made ? Show(call, 201, **made) : Refuse(made.status());
}

ApiReply Api::Read(const Call& call) {
  const auto found = objects_.Get(*call.view.stored, call.path.ns, call.path.name);
  return found ? Show(call, 200, **found) : Refuse(found.status());
}

ApiReply Api::List(const Call& call) {
  const auto request = ReadListRequest(*call.view.stored, call.path, call.request.query);
  if (!request) return Refuse(request.status());
  auto page = ReadList(objects_.store(), call.view.stored->resource(), *request);
  if (!page) return Refuse(page.status());
  return ShowPage(call, page->revision, std::move(page->objects), page->continues, page->remaining);
}

ApiReply Api::ShowPage(const Call& call, Revision revision, std::vector<ObjectPtr> objects,
                       std::string_view continues, std::optional<std::size_t> remaining) const {
  const Kind& kind = *call.view.asked;
  json::object metadata{{"resourceVersion", std::to_string(revision)}};
  if (!continues.empty()) metadata["continue"] = continues;
  if (remaining) metadata["remainingItemCount"] = *remaining;
  const auto table = TableReply::For(objects_.store(), call.view, call.request);
  if (!table) return Refuse(table.status());
  if (*table) {
    return Say(200, (*table)->Print(std::move(metadata), objects, objects_.clock().WallTime()));
  }
  auto body = std::make_shared<ItemsBody>();
  body->head = "{\"kind\":\"" + kind.kind + "List\",\"apiVersion\":\"" + kind.api_version() +
               "\",\"metadata\":" + json::serialize(metadata) + ",\"items\":[";
  body->tail = "]}";
  body->has_kinds = kind.is_custom;
  if (call.view.is_plain()) {
    body->items = std::move(objects);
    ApiReply reply;
    reply.items = std::move(body);
    return reply;
  }
  std::string text = body->head;
  for (const auto& object : objects) {
    if (text.back() != '[') text += ',';
    text += call.view.Print(*object);
  }
  return Say(200, text + body->tail);
}

ApiReply Api::Watch(const Call& call) {
  auto request = ReadListRequest(*call.view.stored, call.path, call.request.query);
  if (!request) return Refuse(request.status());
  const auto table = TableReply::For(objects_.store(), call.view, call.request);
  if (!table) return Refuse(table.status());
  WatchStream::Show show;
  if (*table) {
    // The columns are told once.
    show = [table = **table, columns = TableReply::Columns::kTell,
            &clock = objects_.clock()](const StoredObject& object) mutable {
      return table.PrintOne(object, clock.WallTime(),
                            std::exchange(columns, TableReply::Columns::kOmit));
    };
  } else if (!call.view.is_plain()) {
    show = [view = call.view](const StoredObject& object) { return view.Print(object); };
  }
  ApiReply reply;
  reply.watch =
      std::make_shared<WatchStream>(objects_.store(), call.view.stored->resource(),
                                    *call.view.asked, *std::move(request), std::move(show));
  return reply;
}

ApiReply Api::Replace(const Call& call, Part part) {
  auto object = ReadObject(call.request);
  if (!object) return Refuse(object.status());
  if (auto refusal = CheckType(*call.view.asked, *object)) return Refuse(*refusal);
  if (auto refusal = CheckFields(*call.view.asked, call.request.query, *object)) {
    return Refuse(*refusal);
  }
  if (auto refusal = CheckName(call.path.name, *object)) return Refuse(*refusal);
  const bool was_there =
      objects_.store().Get(call.view.stored->Key(call.path.ns, call.path.name)) != nullptr;
  const auto written =
      objects_.Update(*call.view.stored, call.path.ns, call.path.name,
                      call.view.ToStored(*std::move(object)), part, OptionsOf(call.request));
  return written ? Show(call, was_there ? 200 : 201, *written->object) : Refuse(written.status());
}

ApiReply Api::Patch(const Call& call, Part part) {
  const auto patch = ReadPatch(*call.view.asked, call.request);
  if (!patch) return Refuse(patch.status());
  const auto edit = [&](json::object& object) -> Verdict {
    auto patched = (*patch)(call.view.ToAsked(object));
    if (!patched) return patched.status();
    if (auto refusal = CheckType(*call.view.asked, *patched)) return refusal;
    if (auto refusal = CheckFields(*call.view.asked, call.request.query, *patched)) return refusal;
    if (auto refusal = CheckName(call.path.name, *patched)) return refusal;
    object = call.view.ToStored(*std::move(patched));
    return std::nullopt;
  };
  const auto written = objects_.Change(*call.view.stored, call.path.ns, call.path.name, edit, part,
                                       OptionsOf(call.request));
  return written ? Show(call, 200, *written->object) : Refuse(written.status());
}

ApiReply Api::Delete(const Call& call) {
  const auto options = ReadDeleteOptions(call.request);
  if (!options) return Refuse(options.status());
  const Kind& kind = *call.view.stored;
  const auto deleted = objects_.Delete(kind, call.path.ns, call.path.name, *options);
  if (!deleted) return Refuse(deleted.status());
  if (!deleted->is_gone || kind.is_returned_when_deleted) return Show(call, 200, *deleted->object);
  return Say(200, PrintStatus(Success(*call.view.asked, *deleted->object)));
}

ApiReply Api::DeleteMany(const Call& call) {
  const auto options = ReadDeleteOptions(call.request);
  if (!options) return Refuse(options.status());
  const auto request = ReadListRequest(*call.view.stored, call.path, call.request.query);
  if (!request) return Refuse(request.status());
  auto page = ReadList(objects_.store(), call.view.stored->resource(), *request);
  if (!page) return Refuse(page.status());
  for (const auto& object : page->objects) {
    const auto deleted = objects_.Delete(*call.view.stored, object->ns, object->name, *options);
    // Somebody else may have been faster.
    if (!deleted && deleted.status().code != 404) return Refuse(deleted.status());
  }
  return ShowPage(call, objects_.store().revision(), std::move(page->objects), "", {});
}

ApiReply Api::Scale(const Call& call) {
  const auto& kind = *call.view.stored;
  if (IsRead(call.request.method)) {
    const auto found = objects_.Get(kind, call.path.ns, call.path.name);
    if (!found) return Refuse(found.status());
    return Say(200, json::serialize(ScaleOf(ParseStored((*found)->text))));
  }
  Objects::Edit edit;
  if (call.request.method == Method::kPut) {
    auto scale = ReadObject(call.request);
    if (!scale) return Refuse(scale.status());
    edit = [scale = *std::move(scale)](json::object& workload) {
      return ApplyScale(scale, workload);
    };
  } else if (call.request.method == Method::kPatch) {
    auto patch = ReadPatch(kind, call.request);
    if (!patch) return Refuse(patch.status());
    edit = [patch = *std::move(patch)](json::object& workload) -> Verdict {
      const auto scale = patch(ScaleOf(workload));
      return scale ? ApplyScale(*scale, workload) : scale.status();
    };
  } else {
    return Refuse(WrongMethod());
  }
  const auto written = objects_.Change(kind, call.path.ns, call.path.name, edit, Part::kMain,
                                       OptionsOf(call.request, "scale"));
  if (!written) return Refuse(written.status());
  return Say(200, json::serialize(ScaleOf(ParseStored(written->object->text))));
}

ApiReply Api::Evict(const Call& call) {
  const auto eviction = ReadObject(call.request);
  if (!eviction) return Refuse(eviction.status());
  const auto refusal =
      EvictPod(objects_, call.path.ns, call.path.name, *eviction, call.request.user);
  return refusal ? Refuse(*refusal) : Say(201, Created());
}

ApiReply Api::Bind(const Call& call, const std::string& pod) {
  const auto binding = ReadObject(call.request);
  if (!binding) return Refuse(binding.status());
  const std::string name = pod.empty() ? std::string(Text(*binding, {"metadata", "name"})) : pod;
  const auto refusal =
      BindPod(objects_, call.path.ns, name, *binding, call.request.query.Text("dryRun") == "All");
  return refusal ? Refuse(*refusal) : Say(201, Created());
}

ApiReply Api::Review(const Call& call) {
  if (call.request.method != Method::kPost || !call.path.name.empty()) {
    return Refuse(WrongMethod());
  }
  if (call.view.asked->plural == "bindings") return Bind(call, "");
  auto object = ReadObject(call.request);
  if (!object) return Refuse(object.status());
  if (auto refusal = CheckType(*call.view.asked, *object)) return Refuse(*refusal);
  if (call.view.asked->plural == "selfsubjectaccessreviews") {
    (*object)["status"] = json::object{{"allowed", true}};
  } else {
    const auto& user = call.request.user;
    json::object about{{"username", user.name},
                       {"groups", json::array(user.groups.begin(), user.groups.end())}};
    (*object)["status"] = json::object{{"userInfo", std::move(about)}};
  }
  return Say(201, json::serialize(*object));
}

}  // namespace gs::localcluster
