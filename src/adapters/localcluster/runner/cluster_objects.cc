#include "adapters/localcluster/runner/cluster_objects.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

std::optional<Propagation> AsPropagation(Dependents dependents) {
  switch (dependents) {
    case Dependents::kBackground: return Propagation::kBackground;
    case Dependents::kForeground: return Propagation::kForeground;
    case Dependents::kOrphan: return Propagation::kOrphan;
    case Dependents::kDefault: break;
  }
  return std::nullopt;
}

Part PartOf(Verb verb) {
  if (verb == Verb::kUpdateStatus) return Part::kStatus;
  return verb == Verb::kFinalize ? Part::kFinalize : Part::kMain;
}

template <class T>
Verdict AsVerdict(const Answer<T>& answer) {
  if (answer.ok()) return std::nullopt;
  return answer.status();
}

}  // namespace

std::optional<Json> ClusterObjects::Get(const ObjectKey& key) const {
  const ObjectPtr found = objects_.store().Get(key);
  if (found == nullptr) return std::nullopt;
  return Json(ParseStored(found->text));
}

std::vector<Json> ClusterObjects::List(std::string_view resource, std::string_view ns) const {
  std::vector<Json> all;
  for (const ObjectPtr& each : objects_.store().List(std::string(resource), ns).objects) {
    all.emplace_back(ParseStored(each->text));
  }
  return all;
}

std::optional<ObjectKey> ClusterObjects::KeyOf(std::string_view api_version, std::string_view kind,
                                               std::string_view ns, std::string_view name) const {
  const KindPtr found = objects_.kinds().FindKind(api_version, kind);
  if (found == nullptr) return std::nullopt;
  return found->Key(ns, name);
}

Verdict ClusterObjects::Apply(const Write& write) {
  const auto api_version = Text(write.object, {"apiVersion"});
  const KindPtr kind = objects_.kinds().FindKind(api_version, KindOf(write.object));
  if (kind == nullptr) {
    return Status{.code = 404,
                  .reason = "NotFound",
                  .message = "no kind " + std::string(KindOf(write.object))};
  }
  const std::string ns(NamespaceOf(write.object));
  const std::string name(NameOf(write.object));
  if (write.verb == Verb::kCreate) {
    return AsVerdict(objects_.Create(*kind, ns, write.object.get_object()));
  }
  if (write.verb == Verb::kDelete) {
    DeleteOptions options{.grace_seconds = write.grace_seconds,
                          .propagation = AsPropagation(write.dependents)};
    if (!UidOf(write.object).empty()) options.uid = std::string(UidOf(write.object));
    return AsVerdict(objects_.Delete(*kind, ns, name, options));
  }
  return AsVerdict(objects_.Update(*kind, ns, name, write.object.get_object(), PartOf(write.verb)));
}

}  // namespace gs::localcluster
