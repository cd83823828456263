#include "adapters/localcluster/controllers/namespaces.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

bool Has(const std::vector<Json>& contents, std::string_view kind, std::string_view name) {
  return std::any_of(contents.begin(), contents.end(), [&](const Json& each) {
    return KindOf(each) == kind && NameOf(each) == name;
  });
}

Json ServiceAccount(std::string_view space) {
  return {{"apiVersion", "v1"},
          {"kind", "ServiceAccount"},
          {"metadata", {{"name", "default"}, {"namespace", space}}}};
}

Json RootCertificate(std::string_view space, std::string_view ca_certificate) {
  const auto* note =
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
      "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
      "guaranteed across distributions of Kubernetes clusters.";
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", "kube-root-ca.crt"},
            {"namespace", space},
            {"annotations", boost::json::object{{"kubernetes.io/description", note}}}}},
          {"data", boost::json::object{{"ca.crt", ca_certificate}}}};
}

// Pods first: what they use should not be taken from under them.
Reconciled Empty(const Json& space, const std::vector<Json>& contents) {
  Reconciled reconciled;
  for (const bool pods : {true, false}) {
    for (const Json& each : contents) {
      if ((KindOf(each) == "Pod") != pods || IsBeingDeleted(each)) continue;
      Write removal = Delete(each);
      removal.dependents = Dependents::kBackground;
      reconciled.writes.push_back(std::move(removal));
    }
  }
  if (contents.empty()) {
    Json finalized = space;
    Make(finalized, {"spec"})["finalizers"] = boost::json::array{};
    reconciled.writes.push_back({.verb = Verb::kFinalize, .object = std::move(finalized)});
  }
  return reconciled;
}

}  // namespace

std::vector<Write> FirstNamespaces() {
  std::vector<Write> writes;
  for (const auto* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    writes.push_back(Create({{"apiVersion", "v1"},
                             {"kind", "Namespace"},
                             {"metadata", boost::json::object{{"name", name}}}}));
  }
  return writes;
}

Reconciled ReconcileNamespace(const Json& space, const std::vector<Json>& contents,
                              std::string_view ca_certificate) {
  if (IsBeingDeleted(space)) return Empty(space, contents);
  Reconciled reconciled;
  if (!Has(contents, "ServiceAccount", "default")) {
    reconciled.writes.push_back(Create(ServiceAccount(NameOf(space))));
  }
  if (!Has(contents, "ConfigMap", "kube-root-ca.crt")) {
    reconciled.writes.push_back(Create(RootCertificate(NameOf(space), ca_certificate)));
  }
  return reconciled;
}

}  // namespace gs::localcluster
