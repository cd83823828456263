#include "adapters/localcluster/api/delete_request.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

Verdict ReadPropagation(std::string_view word, DeleteOptions& options) {
  if (word.empty()) return std::nullopt;
  if (word == "Background") {
    options.propagation = Propagation::kBackground;
  } else if (word == "Foreground") {
    options.propagation = Propagation::kForeground;
  } else if (word == "Orphan") {
    options.propagation = Propagation::kOrphan;
  } else {
    return Invalid("DeleteOptions", "meta.k8s.io", "",
                   {{.reason = "FieldValueNotSupported",
                     .message = "Unsupported value: \"" + std::string(word) +
                                "\": supported values: \"Foreground\", \"Background\", \"Orphan\", "
                                "\"nil\"",
                     .field = "propagationPolicy"}});
  }
  return std::nullopt;
}

std::optional<std::string> TextIfThere(const json::object& object, Path path) {
  const auto text = Text(object, path);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace

Answer<DeleteOptions> ReadDeleteOptions(const json::object& object) {
  DeleteOptions options;
  options.grace_seconds = MaybeInt(object, {"gracePeriodSeconds"});
  options.uid = TextIfThere(object, {"preconditions", "uid"});
  options.resource_version = TextIfThere(object, {"preconditions", "resourceVersion"});
  if (const auto* orphan = Find(object, {"orphanDependents"})) {
    options.propagation =
        *orphan == json::value(true) ? Propagation::kOrphan : Propagation::kBackground;
  }
  const auto* dry_run = FindArray(object, {"dryRun"});
  options.is_dry_run = dry_run != nullptr && !dry_run->empty();
  if (auto refusal = ReadPropagation(Text(object, {"propagationPolicy"}), options)) {
    return *refusal;
  }
  return options;
}

Answer<DeleteOptions> ReadDeleteOptions(const ApiRequest& request) {
  DeleteOptions options;
  if (!request.body.empty()) {
    const auto object = ReadObject(request);
    if (!object) return object.status();
    auto read = ReadDeleteOptions(*object);
    if (!read) return read;
    options = *std::move(read);
  }
  if (const auto grace = request.query.Number("gracePeriodSeconds")) options.grace_seconds = grace;
  if (request.query.Text("dryRun") == "All") options.is_dry_run = true;
  if (auto refusal = ReadPropagation(request.query.Text("propagationPolicy"), options)) {
    return *refusal;
  }
  options.user = request.user;
  return options;
}

}  // namespace gs::localcluster
