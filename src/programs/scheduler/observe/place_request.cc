#include "programs/scheduler/observe/place_request.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/yaml/parse.h"

namespace gs::scheduler {
namespace {

namespace json = boost::json;

constexpr std::string_view kNobody = "not-there";

Error Refused(std::string message) {
  return Error(ErrorKind::kInvalid, std::move(message))
      .Advise("post one Pod or one GpuClaim, as YAML or JSON");
}

// An object that was never stored has no namespace yet, no name and no UID.
Result<json::object> Completed(json::object object, TimePoint now) {
  json::value& metadata = object["metadata"];
  if (metadata.is_null()) metadata = json::object();
  if (!metadata.is_object()) return Refused("metadata: expected a map");
  json::object& fields = metadata.get_object();
  for (const std::string_view name : {"name", "namespace"}) {
    if (!fields.contains(name)) fields[name] = name == "name" ? kNobody : "default";
  }
  fields["uid"] = kNobody;
  fields["creationTimestamp"] = PrintTime(now);
  fields.erase("resourceVersion");
  return object;
}

Result<PlaceRequest> ReadPod(const std::string& text) {
  auto pod = kube::DecodePod(text);
  if (!pod) return std::move(pod).error();
  if (pod->is_bound()) return Refused("spec.nodeName: the pod is on a node already");
  return PlaceRequest{.pod = *std::move(pod), .claim = std::nullopt};
}

Result<PlaceRequest> ReadClaim(const std::string& text, TimePoint now) {
  auto claim = kube::DecodeClaim(text);
  if (!claim) return std::move(claim).error();
  PlaceRequest request;
  request.pod.ref = {claim->ns, PodName(std::string(kNobody)), PodUid(std::string(kNobody))};
  request.pod.created = now;
  request.claim = *std::move(claim);
  return request;
}

}  // namespace

Result<PlaceRequest> ReadPlaceRequest(std::string_view text, TimePoint now) {
  auto value = yaml::ParseYaml(text);
  if (!value) return std::move(value).error();
  if (!value->is_object()) return Refused("the body is no object");
  const json::value* kind = value->get_object().if_contains("kind");
  const std::string word =
      kind != nullptr && kind->is_string() ? std::string(kind->get_string()) : "";
  if (word != "Pod" && word != "GpuClaim") {
    return Refused("kind: expected Pod or GpuClaim" + (word.empty() ? "" : ", got " + word));
  }
  auto object = Completed(std::move(value->get_object()), now);
  if (!object) return std::move(object).error();
  const std::string whole = json::serialize(*object);
  return word == "Pod" ? ReadPod(whole) : ReadClaim(whole, now);
}

}  // namespace gs::scheduler
