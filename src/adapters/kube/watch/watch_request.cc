#include "adapters/kube/watch/watch_request.h"

#include <chrono>
#include <utility>

#include "adapters/http/url.h"

namespace gs::kube {
namespace {

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

http::Request Get(std::string target) {
  return {.method = http::Method::kGet, .target = std::move(target), .headers = {}, .body = ""};
}

}  // namespace

http::Request ListRequest(const Collection& collection, std::int32_t page_size,
                          std::string_view continue_token) {
  std::string target = Target(collection);
  AddParameter(target, "limit", std::to_string(page_size));
  AddParameter(target, "continue", continue_token);
  return Get(std::move(target));
}

http::Request WatchRequest(const Collection& collection, const ResourceVersion& from,
                           Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  std::string target = Target(collection);
  AddParameter(target, "watch", "true");
  AddParameter(target, "allowWatchBookmarks", "true");
  AddParameter(target, "resourceVersion", from.text());
  AddParameter(target, "timeoutSeconds", std::to_string(seconds.count()));
  return Get(std::move(target));
}

}  // namespace gs::kube
