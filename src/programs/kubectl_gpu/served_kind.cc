#include "programs/kubectl_gpu/served_kind.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/localcluster/objects/fields.h"
#include "base/text.h"

namespace gs::kubectl_gpu {
namespace {

using localcluster::Items;
using localcluster::Text;

Result<boost::json::value> GetJson(kube::Connection& connection, const std::string& path) {
  const auto response = connection.Send({.target = path, .headers = {}, .body = {}});
  if (!response) return response.error();
  return json::ParseJson(response->body);
}

// Group versions in the order in which a word is looked up.
Result<std::vector<std::string>> ServedBases(kube::Connection& connection) {
  const auto groups = GetJson(connection, "/apis");
  if (!groups) return groups.error();
  std::vector<std::string> bases{"/api/v1"};
  for (const auto& group : Items(*groups, {"groups"})) {
    bases.push_back("/apis/" + std::string(Text(group, {"preferredVersion", "groupVersion"})));
  }
  return bases;
}

bool IsCalled(const boost::json::value& resource, std::string_view word, std::string_view group) {
  const std::string lower = text::ToLower(word);
  const std::string_view name = Text(resource, {"name"});
  if (lower == name || lower == Text(resource, {"singularName"}) ||
      lower == text::ToLower(Text(resource, {"kind"})) ||
      lower == std::string(name) + "." + std::string(group)) {
    return true;
  }
  const auto& short_names = Items(resource, {"shortNames"});
  return std::any_of(short_names.begin(), short_names.end(), [&](const auto& short_name) {
    return short_name.is_string() && std::string_view(short_name.get_string()) == lower;
  });
}

ServedKind KindFrom(const std::string& base, const boost::json::value& resource) {
  return {.base = base,
          .plural = std::string(Text(resource, {"name"})),
          .kind = std::string(Text(resource, {"kind"})),
          .is_namespaced = localcluster::Bool(resource, {"namespaced"})};
}

// Without subresources.
template <class IsMeant>
Result<std::optional<ServedKind>> FindIn(kube::Connection& connection, const std::string& base,
                                         const IsMeant& is_meant) {
  const auto offered = GetJson(connection, base);
  if (!offered) return offered.error();
  for (const auto& resource : Items(*offered, {"resources"})) {
    if (Text(resource, {"name"}).find('/') != std::string_view::npos) continue;
    if (is_meant(resource)) return std::optional(KindFrom(base, resource));
  }
  return std::optional<ServedKind>();
}

}  // namespace

std::string ServedKind::Path(std::string_view ns) const {
  const bool has_namespace = is_namespaced && !ns.empty();
  return base + (has_namespace ? "/namespaces/" + std::string(ns) : "") + "/" + plural;
}

Result<ServedKind> FindServedKind(kube::Connection& connection, const std::string& word) {
  const auto bases = ServedBases(connection);
  if (!bases) return bases.error();
  for (const std::string& base : *bases) {
    const auto parts = text::Split(base, '/');
    const std::string_view group = parts.size() > 3 ? parts[2] : "";
    const auto found = FindIn(connection, base, [&](const boost::json::value& resource) {
      return IsCalled(resource, word, group);
    });
    // A group whose server is down must not hide the others.
    if (found && *found) return **found;
  }
  return Error(ErrorKind::kNotFound, "the server has no kind " + json::Quoted(word));
}

Result<ServedKind> FindServedKind(kube::Connection& connection, std::string_view api_version,
                                  std::string_view kind) {
  const bool is_core = api_version.find('/') == std::string_view::npos;
  const auto found =
      FindIn(connection, (is_core ? "/api/" : "/apis/") + std::string(api_version),
             [&](const boost::json::value& resource) { return Text(resource, {"kind"}) == kind; });
  if (!found) return found.error();
  if (*found) return **found;
  return Error(ErrorKind::kNotFound,
               "the server has no kind " + std::string(kind) + " in " + std::string(api_version));
}

}  // namespace gs::kubectl_gpu
