#include "adapters/kube/watch/watch_request.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "adapters/http/url.h"
#include "adapters/kube/wire/protobuf.h"

namespace gs::kube {
namespace {

// What API servers serve as protobuf and api_fields.h knows. Kinds that are installed into a
// cluster are JSON only.
constexpr std::array kProtobufKinds{
    kPods,           kNodes,    kLeases,     kNamespaces,        kVolumeClaims,     kVolumes,
    kStorageClasses, kCsiNodes, kCsiDrivers, kStorageCapacities, kVolumeAttachments};

bool HasProtobuf(const Resource& resource) {
  return std::ranges::find(kProtobufKinds, resource) != kProtobufKinds.end();
}

// Parameters without a value are left out.
void AddParameter(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += name;
  target += '=';
  target += http::EncodeQuery(value);
}

std::string Target(const Collection& collection) {
  std::string target = CollectionPath(collection.resource, collection.ns);
  AddParameter(target, "labelSelector", collection.label_selector);
  AddParameter(target, "fieldSelector", collection.field_selector);
  return target;
}

http::Request Get(const Collection& collection, std::string target) {
  http::Request request{
      .method = http::Method::kGet, .target = std::move(target), .headers = {}, .body = ""};
  // A server that knows only JSON answers with that.
  if (HasProtobuf(collection.resource)) {
    request.headers.Add("Accept", std::string(kProtobufType) + ",application/json;q=0.9");
  }
  return request;
}

}  // namespace

http::Request ListRequest(const Collection& collection) {
  return Get(collection, Target(collection));
}

http::Request ListRequest(const Collection& collection, std::int32_t page_size,
                          std::string_view continue_token) {
  std::string target = Target(collection);
  AddParameter(target, "limit", std::to_string(page_size));
  AddParameter(target, "continue", continue_token);
  return Get(collection, std::move(target));
}

http::Request WatchRequest(const Collection& collection, const ResourceVersion& from,
                           Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  std::string target = Target(collection);
  AddParameter(target, "watch", "true");
  AddParameter(target, "allowWatchBookmarks", "true");
  AddParameter(target, "resourceVersion", from.text());
  AddParameter(target, "timeoutSeconds", std::to_string(seconds.count()));
  return Get(collection, std::move(target));
}

}  // namespace gs::kube
