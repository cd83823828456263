#include "adapters/kube/write/write_request.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/http/url.h"
#include "adapters/json/object_reader.h"
#include "base/dns_name.h"

namespace gs::kube {
namespace {

constexpr std::string_view kJsonType = "application/json";

Result<void> CheckName(std::string_view what, std::string_view name) {
  if (auto checked = CheckDnsSubdomain(name); !checked) {
    return std::move(checked).error().Within(std::string(what) + " " + json::Quoted(name));
  }
  return {};
}

Result<void> CheckNamespace(const Resource& resource, const Namespace& ns) {
  if (resource.is_namespaced) return CheckName("namespace", ns.text());
  if (ns.empty()) return {};
  return Error(ErrorKind::kInvalid,
               TitleOf(resource) + " have no namespace, got " + json::Quoted(ns.text()));
}

Result<void> CheckTarget(const ObjectTarget& target) {
  if (auto checked = CheckNamespace(target.resource, target.ns); !checked) return checked;
  return CheckName("name", target.name);
}

std::string PathOf(const ObjectTarget& target) {
  return ObjectPath(target.resource, target.ns, target.name, target.subresource);
}

WriteRequest About(const ObjectTarget& target, http::Request request) {
  return {.request = std::move(request),
          .object = {.resource = std::string(target.resource.plural), .name = target.name}};
}

std::string ManagedBy(std::string_view manager) {
  return "?fieldManager=" + http::EncodeQuery(manager);
}

http::Request WithBody(http::Method method, std::string path, std::string_view type,
                       std::string body) {
  return {.method = method,
          .target = std::move(path),
          .headers = {{"Content-Type", std::string(type)}},
          .body = std::move(body)};
}

std::string_view ContentType(PatchKind kind) {
  switch (kind) {
    case PatchKind::kMerge: return "application/merge-patch+json";
    case PatchKind::kJson: return "application/json-patch+json";
    case PatchKind::kStrategic: return "application/strategic-merge-patch+json";
    case PatchKind::kApply:
    case PatchKind::kForcedApply: return "application/apply-patch+yaml";  // JSON is YAML
  }
  return kJsonType;
}

std::string DeleteBody(const Preconditions& preconditions,
                       std::optional<std::chrono::seconds> grace) {
  boost::json::object wanted;
  if (!preconditions.uid.empty()) wanted["uid"] = preconditions.uid;
  if (!preconditions.resource_version.empty()) {
    wanted["resourceVersion"] = preconditions.resource_version.text();
  }
  boost::json::object options{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!wanted.empty()) options["preconditions"] = std::move(wanted);
  if (grace) options["gracePeriodSeconds"] = grace->count();
  return boost::json::serialize(options);
}

}  // namespace

Result<WriteRequest> CreateRequest(const Resource& resource, const Namespace& ns, std::string json,
                                   std::string_view manager) {
  if (auto checked = CheckNamespace(resource, ns); !checked) return std::move(checked).error();
  return WriteRequest{
      WithBody(http::Method::kPost, CollectionPath(resource, ns) + ManagedBy(manager), kJsonType,
               std::move(json)),
      WriteVerb::kCreate};
}

Result<WriteRequest> PostRequest(const ObjectTarget& target, std::string json,
                                 std::string_view manager) {
  if (auto checked = CheckTarget(target); !checked) return std::move(checked).error();
  return About(target, WithBody(http::Method::kPost, PathOf(target) + ManagedBy(manager), kJsonType,
                                std::move(json)));
}

Result<WriteRequest> UpdateRequest(const ObjectTarget& target, std::string json,
                                   std::string_view manager) {
  if (auto checked = CheckTarget(target); !checked) return std::move(checked).error();
  return About(target, WithBody(http::Method::kPut, PathOf(target) + ManagedBy(manager), kJsonType,
                                std::move(json)));
}

Result<WriteRequest> PatchRequest(const ObjectTarget& target, PatchKind kind, std::string json,
                                  std::string_view manager) {
  if (auto checked = CheckTarget(target); !checked) return std::move(checked).error();
  std::string path = PathOf(target) + ManagedBy(manager);
  if (kind == PatchKind::kForcedApply) path += "&force=true";
  return About(target,
               WithBody(http::Method::kPatch, std::move(path), ContentType(kind), std::move(json)));
}

Result<WriteRequest> DeleteRequest(const ObjectTarget& target, const Preconditions& preconditions,
                                   std::optional<std::chrono::seconds> grace) {
  if (auto checked = CheckTarget(target); !checked) return std::move(checked).error();
  return About(target, WithBody(http::Method::kDelete, PathOf(target), kJsonType,
                                DeleteBody(preconditions, grace)));
}

}  // namespace gs::kube
