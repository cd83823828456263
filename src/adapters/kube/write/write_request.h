// Writes to one object of the API as HTTP requests: path, query, content type and body.
//
// A name that could change the path is refused, so a write never reaches another object, and never
// a whole collection, whatever was written into the name. Pure functions of their arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/message.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/api/status_answer.h"
#include "base/ids.h"
#include "base/result.h"

namespace gs::kube {

struct WriteRequest {
  http::Request request;
  // What its answers mean.
  WriteVerb verb = WriteVerb::kOther;
  NamedObject object = {};
};

// Whom the API server notes as the author of the fields.
inline constexpr std::string_view kFieldManager = "gpu-scheduler";

struct ObjectTarget {
  Resource resource;
  Namespace ns;  // empty exactly where the resource has none
  std::string name;
  std::string_view subresource = "";  // "status", "binding"; empty: the object itself
};

enum class PatchKind : std::uint8_t {
  kMerge,        // lists are replaced as a whole
  kJson,         // a list of operations
  kStrategic,    // lists are merged by the key of their items; built-in kinds only
  kApply,        // server-side apply; a field that somebody else owns is a conflict
  kForcedApply,  // the same, and such a field becomes ours
};

// What must still hold; empty: whatever it is.
struct Preconditions {
  std::string uid;
  ResourceVersion resource_version;
};

// The name stands in the object.
[[nodiscard]] Result<WriteRequest> CreateRequest(const Resource& resource, const Namespace& ns,
                                                 std::string json,
                                                 std::string_view manager = kFieldManager);
// POST to a subresource, such as a Binding. It makes no object, so nothing "exists already".
[[nodiscard]] Result<WriteRequest> PostRequest(const ObjectTarget& target, std::string json,
                                               std::string_view manager = kFieldManager);
// Replaces the object, or its status; only the version that the JSON names, if it names one.
[[nodiscard]] Result<WriteRequest> UpdateRequest(const ObjectTarget& target, std::string json,
                                                 std::string_view manager = kFieldManager);
[[nodiscard]] Result<WriteRequest> PatchRequest(const ObjectTarget& target, PatchKind kind,
                                                std::string json,
                                                std::string_view manager = kFieldManager);
// Without a grace period the kind's own counts.
[[nodiscard]] Result<WriteRequest> DeleteRequest(const ObjectTarget& target,
                                                 const Preconditions& preconditions,
                                                 std::optional<std::chrono::seconds> grace = {});

}  // namespace gs::kube
