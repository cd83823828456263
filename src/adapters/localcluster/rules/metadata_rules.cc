#include "adapters/localcluster/rules/metadata_rules.h"

#include <algorithm>
#include <array>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/select/label_rules.h"
#include "base/dns_name.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kOldLabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxAnnotations = std::size_t{256} << 10;

bool IsLabel(std::string_view name) {
  return name.find('.') == name.npos && CheckDnsSubdomain(name).ok();
}

std::string PathSegmentFault(std::string_view name) {
  if (name == "." || name == "..") return "may not be '" + std::string(name) + "'";
  for (const char letter : {'/', '%'}) {
    if (name.find(letter) != name.npos) return "may not contain '" + std::string(1, letter) + "'";
  }
  return {};
}

std::string SubdomainFault(std::string_view name) {
  if (name.size() > kMaxDnsSubdomain) return "must be no more than 253 bytes";
  return CheckDnsSubdomain(name) ? std::string() : std::string(kSubdomainRule);
}

// Services and namespaces become parts of DNS names; roles may be called anything.
std::string NameFault(const Kind& kind, std::string_view name) {
  if (kind.group == "rbac.authorization.k8s.io") return PathSegmentFault(name);
  if (kind.kind == "Namespace") return DnsLabelFault(name);
  if (kind.kind == "Service" && kind.group.empty()) {
    const bool is_fine = name.size() <= kMaxLabel && IsLabel(name) && text::IsLower(name.front());
    return is_fine ? std::string() : std::string(kOldLabelRule);
  }
  return SubdomainFault(name);
}

void CheckAnnotations(const json::object* annotations, Faults& faults) {
  if (annotations == nullptr) return;
  const std::string field = "metadata.annotations";
  std::size_t size = 0;
  for (const auto& [name, value] : *annotations) {
    for (const auto& fault : LabelNameFaults(text::ToLower(name))) {
      faults.Invalid(field, json::string(name), fault);
    }
    if (value.is_string()) size += name.size() + value.get_string().size();
  }
  if (size > kMaxAnnotations) faults.Invalid(field, nullptr, "may not be more than 262144 bytes");
}

void CheckOwners(const json::array* owners, Faults& faults) {
  if (owners == nullptr) return;
  for (std::size_t i = 0; i < owners->size(); ++i) {
    const auto field = At("metadata.ownerReferences", i);
    const auto* owner = (*owners)[i].if_object();
    if (owner == nullptr) continue;
    if (Text(*owner, {"apiVersion"}).empty()) {
      faults.Invalid(field + ".apiVersion", "", "version must not be empty");
    }
    for (const auto part : {"kind", "name", "uid"}) {
      if (Text(*owner, {part}).empty()) {
        faults.Invalid(field + "." + part, "", "must not be empty");
      }
    }
  }
}

// Whoever has to take a finalizer off is told by its prefix; a few have been there without one.
void CheckFinalizers(const Kind& kind, const json::array& finalizers, Faults& faults) {
  constexpr std::array<std::string_view, 3> kStandard{"kubernetes", "orphan", "foregroundDeletion"};
  const bool needs_prefix = !kind.is_custom && kind.group != "coordination.k8s.io";
  for (const auto& finalizer : finalizers) {
    for (const auto& fault : LabelNameFaults(Text(finalizer, {}))) {
      faults.Invalid("metadata.finalizers", finalizer, fault);
    }
  }
  for (std::size_t i = 0; needs_prefix && i < finalizers.size(); ++i) {
    const auto name = Text(finalizers[i], {});
    const bool is_known = std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end();
    if (is_known || name.find('/') != name.npos) continue;
    faults.Invalid(At("metadata.finalizers", i), finalizers[i],
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

}  // namespace

std::string DnsLabelFault(std::string_view text) {
  if (text.size() > kMaxLabel) return "must be no more than 63 bytes";
  return IsLabel(text) ? std::string() : std::string(kLabelRule);
}

void CheckLabels(const json::object* labels, const std::string& field, Faults& faults) {
  if (labels == nullptr) return;
  for (const auto& [name, value] : *labels) {
    for (const auto& fault : LabelNameFaults(name)) {
      faults.Invalid(field, json::string(name), fault);
    }
    if (!value.is_string()) {
      faults.Invalid(field, value, "must be a string");
      continue;
    }
    for (const auto& fault : LabelValueFaults(value.get_string())) {
      faults.Invalid(field, value, fault);
    }
  }
}

void CheckMetadata(const Kind& kind, const json::object& object, Faults& faults) {
  const auto name = Text(object, {"metadata", "name"});
  const auto fault = NameFault(kind, name);
  if (!fault.empty()) faults.Invalid("metadata.name", json::string(name), fault);
  CheckLabels(FindObject(object, {"metadata", "labels"}), "metadata.labels", faults);
  CheckAnnotations(FindObject(object, {"metadata", "annotations"}), faults);
  CheckOwners(FindArray(object, {"metadata", "ownerReferences"}), faults);
  CheckFinalizers(kind, Items(object, {"metadata", "finalizers"}), faults);
}

}  // namespace gs::localcluster
