#include "adapters/answers/place_request.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/yaml/parse.h"

namespace gs::answers {
namespace {

namespace json = boost::json;

constexpr std::string_view kNobody = "not-there";

Error Refused(std::string message) {
  return Error(ErrorKind::kInvalid, std::move(message))
      .Advise("give a Pod, a GpuClaim, or both, as YAML or JSON");
}

// An object that was never stored has no namespace yet, no name and no UID.
Result<json::object> Completed(json::object object, TimePoint now, const Namespace& ns) {
  json::value& metadata = object["metadata"];
  if (metadata.is_null()) metadata = json::object();
  if (!metadata.is_object()) return Refused("metadata: expected a map");
  json::object& fields = metadata.get_object();
  for (const std::string_view name : {"name", "namespace"}) {
    if (!fields.contains(name))
      fields[name] = name == "name" ? kNobody : std::string_view(ns.text());
  }
  fields["uid"] = kNobody;
  fields["creationTimestamp"] = PrintTime(now);
  fields.erase("resourceVersion");
  return object;
}

json::object* ObjectIn(json::object& object, std::string_view name) {
  json::value* found = object.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

// As an API server does it: whoever limits a resource and does not say how much of it is requested
// requests as much.
void RequestWhatIsLimited(json::object& container) {
  json::object* resources = ObjectIn(container, "resources");
  if (resources == nullptr || ObjectIn(*resources, "limits") == nullptr) return;
  json::value& requests = (*resources)["requests"];
  if (requests.is_null()) requests = json::object();
  if (!requests.is_object()) return;  // refused when it is read
  // Only now: what was found before may have moved when the requests were put in.
  const json::object* limits = ObjectIn(*resources, "limits");
  for (const auto& limit : *limits) requests.get_object().emplace(limit.key(), limit.value());
}

void FillInRequests(json::object& pod) {
  json::object* spec = ObjectIn(pod, "spec");
  if (spec == nullptr) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::value* containers = spec->if_contains(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (json::value& container : containers->get_array()) {
      if (container.is_object()) RequestWhatIsLimited(container.get_object());
    }
  }
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

Result<PlaceRequest> ReadDocument(json::value value, TimePoint now, const Namespace& ns) {
  if (!value.is_object()) return Refused("the body is no object");
  const json::value* kind = value.get_object().if_contains("kind");
  const std::string word =
      kind != nullptr && kind->is_string() ? std::string(kind->get_string()) : "";
  if (word != "Pod" && word != "GpuClaim") {
    return Refused("kind: expected Pod or GpuClaim" + (word.empty() ? "" : ", got " + word));
  }
  auto object = Completed(std::move(value.get_object()), now, ns);
  if (!object) return std::move(object).error();
  if (word == "Pod") FillInRequests(*object);
  const std::string whole = json::serialize(*object);
  return word == "Pod" ? ReadPod(whole) : ReadClaim(whole, now);
}

}  // namespace

Result<PlaceRequest> ReadPlaceRequest(std::string_view text, TimePoint now, const Namespace& ns) {
  auto documents = yaml::ParseYamlDocuments(text);
  if (!documents) return std::move(documents).error();
  if (documents->empty()) return Refused("the body is empty");
  auto request = ReadDocument(std::move(documents->front()), now, ns);
  if (!request || documents->size() == 1) return request;
  if (documents->size() > 2) return Refused("there are more than two objects");
  auto other = ReadDocument(std::move(documents->back()), now, ns);
  if (!other) return other;
  if (request->claim.has_value() == other->claim.has_value()) {
    return Refused("of two objects one is a GpuClaim and the other a Pod that names it");
  }
  return request->claim ? PlaceRequest{.pod = std::move(other->pod), .claim = request->claim}
                        : PlaceRequest{.pod = std::move(request->pod), .claim = other->claim};
}

}  // namespace gs::answers
