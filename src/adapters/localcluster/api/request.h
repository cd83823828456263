// A request to the API, taken apart: which resource of which group, which object, which part of it,
// and the options of the query. Nothing is looked up here, so what it names need not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/localcluster/store/objects.h"
#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

class Query {
 public:
  // What cannot be decoded is left out, as Go does.
  explicit Query(std::string_view text = {});

  // "" if it is not there.
  [[nodiscard]] std::string_view Text(std::string_view name) const;
  // All of that name, in their order.
  [[nodiscard]] std::vector<std::string> Texts(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const;
  // "true" and "1"; there without a value counts as well.
  [[nodiscard]] bool Flag(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> Number(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

// /api/v1/namespaces/NS/pods/NAME/status, /apis/GROUP/VERSION/..., with or without a namespace.
struct ResourcePath {
  std::string group;
  std::string version;
  std::string ns;
  std::string plural;
  std::string name;
  std::string subresource;

  friend bool operator==(const ResourcePath&, const ResourcePath&) = default;
};

// Nothing for what is no path to a resource.
[[nodiscard]] std::optional<ResourcePath> ParseResourcePath(std::string_view path);

struct ApiRequest {
  http::Method method = http::Method::kGet;
  std::string path;
  Query query;
  std::string content_type;  // without parameters, in lower case
  std::string accept;
  http::Headers headers;
  std::string body;
  User user;
};

[[nodiscard]] ApiRequest TakeApart(http::Request request, User user);

// The body as one JSON object, from JSON, YAML or protobuf. Empty bodies are no objects.
[[nodiscard]] Answer<boost::json::object> ReadObject(const ApiRequest& request);

}  // namespace gs::localcluster
