#include "adapters/kube/fence/lease_json.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <map>

namespace gs::kube {
namespace {

boost::json::object PrintTexts(const std::map<std::string, std::string>& texts) {
  boost::json::object printed;
  for (const auto& [name, value] : texts) printed[name] = value;
  return printed;
}

boost::json::object PrintMetadata(const LeaseMetadata& metadata) {
  boost::json::object printed{{"name", metadata.name.text()},
                              {"namespace", metadata.ns.text()},
                              {"labels", PrintTexts(metadata.labels)},
                              {"annotations", PrintTexts(metadata.annotations)}};
  AddUnlessEmpty("uid", metadata.uid.text(), printed);
  AddUnlessEmpty("resourceVersion", metadata.resource_version.text(), printed);
  boost::json::array owners;
  for (const auto& owner : metadata.owners) owners.push_back(PrintOwnerReference(owner));
  if (!owners.empty()) printed["ownerReferences"] = owners;
  boost::json::array finalizers;
  for (const auto& finalizer : metadata.finalizers) finalizers.emplace_back(finalizer);
  if (!finalizers.empty()) printed["finalizers"] = finalizers;
  return printed;
}

}  // namespace

LeaseMetadata ReadLeaseMetadata(const JsonView& metadata) {
  LeaseMetadata read;
  read.ns = Namespace(metadata.Field("namespace").RequiredText());
  read.name = LeaseName(metadata.Field("name").RequiredText());
  read.uid = LeaseUid(metadata.Field("uid").Text());
  read.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  for (const JsonView& owner : metadata.Field("ownerReferences").Items()) {
    read.owners.push_back(ReadOwnerReference(owner));
  }
  for (const JsonView& finalizer : metadata.Field("finalizers").Items()) {
    read.finalizers.push_back(finalizer.Text());
  }
  read.labels = metadata.Field("labels").Texts();
  read.annotations = metadata.Field("annotations").Texts();
  return read;
}

std::string PrintLease(const LeaseMetadata& metadata, const boost::json::object& spec) {
  return boost::json::serialize(boost::json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                                    {"kind", "Lease"},
                                                    {"metadata", PrintMetadata(metadata)},
                                                    {"spec", spec}});
}

void AddUnlessEmpty(std::string_view name, const std::string& text, boost::json::object& object) {
  if (!text.empty()) object[name] = text;
}

std::optional<TimePoint> ParseMicros(std::string_view text) {
  const auto time = ParseTime(text);
  if (!time) return std::nullopt;
  return Micros(*time);
}

}  // namespace gs::kube
