#include "adapters/localcluster/api/scale.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// "a=b,c=d"; expressions are printed as a query would write them.
std::string PrintSelector(const json::object& selector) {
  std::vector<std::string> parts;
  if (const auto* labels = FindObject(selector, {"matchLabels"})) {
    for (const auto& [name, value] : *labels) {
      if (value.is_string()) {
        parts.push_back(std::string(name) + "=" + std::string(value.get_string()));
      }
    }
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

json::object ScaleOf(const json::object& workload) {
  json::object metadata;
  if (const auto* given = FindObject(workload, {"metadata"})) {
    for (const auto field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
      if (const auto* value = given->if_contains(field)) metadata[field] = *value;
    }
  }
  const auto* selector = FindObject(workload, {"spec", "selector"});
  json::object status{{"replicas", Int(workload, {"status", "replicas"})}};
  if (selector != nullptr) status["selector"] = PrintSelector(*selector);
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", json::object{{"replicas", Int(workload, {"spec", "replicas"})}}},
          {"status", std::move(status)}};
}

Verdict ApplyScale(const json::object& scale, json::object& workload) {
  const std::string name(Text(workload, {"metadata", "name"}));
  const auto replicas = Int(scale, {"spec", "replicas"});
  if (replicas < 0) {
    return Invalid("Scale", "autoscaling", name,
                   {{.reason = "FieldValueInvalid",
                     .message = "Invalid value: " + std::to_string(replicas) +
                                ": must be greater than or equal to 0",
                     .field = "spec.replicas"}});
  }
  const auto version = Text(scale, {"metadata", "resourceVersion"});
  if (!version.empty()) Make(workload, {"metadata"})["resourceVersion"] = version;
  Make(workload, {"spec"})["replicas"] = replicas;
  return std::nullopt;
}

}  // namespace gs::localcluster
