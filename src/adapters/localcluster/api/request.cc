#include "adapters/localcluster/api/request.h"

#include <boost/json/object.hpp>

#include "adapters/http/url.h"
#include "adapters/json/parse.h"
#include "adapters/kube/wire/protobuf.h"
#include "adapters/yaml/parse.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// Deep enough for any object, and shallow enough for every recursion over one.
constexpr std::size_t kMaxDepth = 100;

std::vector<std::string> Segments(std::string_view path) {
  std::vector<std::string> segments;
  for (const auto part : text::Split(path, '/')) {
    if (part.empty()) continue;
    auto decoded = http::DecodeQuery(part);
    segments.push_back(decoded ? *std::move(decoded) : std::string(part));
  }
  return segments;
}

// Those of a namespace itself, and not resources in it.
bool IsPartOfNamespace(std::string_view word) { return word == "status" || word == "finalize"; }

std::string Header(const http::Headers& headers, std::string_view name) {
  const auto* found = headers.Find(name);
  return found == nullptr ? std::string() : *found;
}

bool IsYaml(std::string_view type) {
  return type == "application/yaml" || type == "application/vnd.kubernetes.yaml";
}

bool IsReadable(std::string_view type) {
  return type.empty() || type == "application/json" || type == "*/*" || IsYaml(type) ||
         type == kube::kProtobufType;
}

Result<json::value> ReadBody(std::string_view type, std::string_view body) {
  if (IsYaml(type)) return yaml::ParseYaml(body);
  if (type != kube::kProtobufType) return gs::json::ParseJson(body, {.max_depth = kMaxDepth});
  const auto text = kube::ProtobufToJson(body);
  if (!text) return text.error();
  return gs::json::ParseJson(*text, {.max_depth = kMaxDepth});
}

}  // namespace

Query::Query(std::string_view text) {
  for (const auto part : text::Split(text, '&')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    const auto name = http::DecodeQuery(part.substr(0, equals));
    const auto value = http::DecodeQuery(equals == part.npos ? "" : part.substr(equals + 1));
    if (name && value) entries_.emplace_back(*name, *value);
  }
}

std::string_view Query::Text(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string> Query::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  for (const auto& [key, value] : entries_) {
    if (key == name) texts.push_back(value);
  }
  return texts;
}

bool Query::Has(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (entry.first == name) return true;
  }
  return false;
}

bool Query::Flag(std::string_view name) const {
  if (!Has(name)) return false;
  const auto value = Text(name);
  return value.empty() || value == "1" || text::EqualsIgnoringCase(value, "true");
}

std::optional<std::int64_t> Query::Number(std::string_view name) const {
  const auto number = ParseInt64(Text(name));
  if (!number) return std::nullopt;
  return *number;
}

std::optional<ResourcePath> ParseResourcePath(std::string_view path) {
  const auto segments = Segments(path);
  ResourcePath found;
  std::size_t at = 0;
  const auto take = [&](std::string& into) {
    if (at < segments.size()) into = segments[at++];
  };
  std::string root;
  take(root);
  if (root == "apis") take(found.group);
  if (root != "api" && root != "apis") return std::nullopt;
  take(found.version);
  const bool is_inside = at + 2 < segments.size() && segments[at] == "namespaces" &&
                         !(IsPartOfNamespace(segments[at + 2]) && found.group.empty());
  if (is_inside) {
    ++at;
    take(found.ns);
  }
  take(found.plural);
  take(found.name);
  take(found.subresource);
  if (found.plural.empty() || at < segments.size()) return std::nullopt;
  return found;
}

ApiRequest TakeApart(http::Request request, User user) {
  const std::string_view target = request.target;
  const auto mark = target.find('?');
  const auto type = Header(request.headers, "Content-Type");
  return {.method = request.method,
          .path = std::string(target.substr(0, mark)),
          .query = Query(mark == target.npos ? "" : target.substr(mark + 1)),
          .content_type = text::ToLower(text::Trim(text::Split(type, ';')[0])),
          .accept = Header(request.headers, "Accept"),
          .headers = std::move(request.headers),
          .body = std::move(request.body),
          .user = std::move(user)};
}

Answer<json::object> ReadObject(const ApiRequest& request) {
  if (!IsReadable(request.content_type)) {
    Status refusal = BadRequest(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
    refusal.code = 415;
    refusal.reason = "UnsupportedMediaType";
    return refusal;
  }
  auto value = ReadBody(request.content_type, request.body);
  if (!value) return BadRequest("the object provided is unrecognized: " + ToString(value.error()));
  if (!value->is_object()) {
    return BadRequest("the object provided is unrecognized (must be of type Object)");
  }
  return std::move(value->get_object());
}

}  // namespace gs::localcluster
