#include "adapters/localcluster/api/patch_request.h"

#include <boost/json/value.hpp>
#include <memory>

#include "adapters/json/parse.h"
#include "adapters/localcluster/patch/json_patch.h"
#include "adapters/localcluster/patch/merge_patch.h"
#include "adapters/localcluster/patch/patch_schema.h"
#include "adapters/localcluster/patch/strategic_patch.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using Patched = Result<json::value>;

constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kJson = "application/json-patch+json";

Status UnsupportedType(const Kind& kind, const std::string& type) {
  std::string accepted = std::string(kJson) + ", " + std::string(kMerge);
  if (!kind.is_custom) accepted += ", " + std::string(kStrategic);
  Status status = BadRequest(
      "the body of the request was in an unknown format - accepted media types include: " +
      accepted);
  if (type.starts_with("application/apply-patch")) {
    status.message += "; server-side apply needs a real API server, this is the embedded one";
  }
  status.code = 415;
  status.reason = "UnsupportedMediaType";
  return status;
}

Status StatusOf(const Error& error) {
  Status status = BadRequest(error.message());
  switch (error.kind()) {
    case ErrorKind::kConflict:
      status.code = 422;
      status.reason = "Invalid";
      break;
    case ErrorKind::kUnsupported:
      status.code = 413;
      status.reason = "RequestEntityTooLarge";
      break;
    case ErrorKind::kInternal:
      status.code = 500;
      status.reason = "InternalError";
      break;
    default: break;
  }
  return status;
}

template <class Apply>
PatchEdit EditBy(Apply apply) {
  return [apply](json::object object) -> Answer<json::object> {
    auto patched = apply(json::value(std::move(object)));
    if (!patched) return StatusOf(patched.error());
    if (!patched->is_object()) return BadRequest("the patch leaves no object");
    return std::move(patched->get_object());
  };
}

}  // namespace

Answer<PatchEdit> ReadPatch(const Kind& kind, const ApiRequest& request) {
  const auto& type = request.content_type;
  const bool is_strategic = type == kStrategic && !kind.is_custom;
  if (type != kJson && type != kMerge && !is_strategic) return UnsupportedType(kind, type);
  auto parsed = gs::json::ParseJson(request.body, {.max_depth = 100});
  if (!parsed) {
    return BadRequest("error decoding patch: " + ToString(parsed.error()));
  }
  const auto patch = std::make_shared<const json::value>(*std::move(parsed));
  if (type == kJson) {
    return EditBy([patch](json::value object) -> Patched {
      return ApplyJsonPatch(std::move(object), *patch);
    });
  }
  if (type == kMerge) {
    return EditBy([patch](json::value object) -> Patched {
      return ApplyMergePatch(std::move(object), *patch);
    });
  }
  const PatchType& schema = PatchTypeOf(kind.kind);
  return EditBy([patch, &schema](json::value object) -> Patched {
    return ApplyStrategicMergePatch(std::move(object), *patch, schema);
  });
}

}  // namespace gs::localcluster
