// LeaseMetadata: the metadata of a Lease that several write to. A PUT replaces all of it, so
// whatever others have put there has to be read and said again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace gs::kube {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller{};
  std::optional<bool> block_owner_deletion{};

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct LeaseMetadata {
  Namespace ns{};
  LeaseName name{};
  LeaseUid uid{};                      // empty until the API server has stored it
  ResourceVersion resource_version{};  // likewise
  std::vector<OwnerReference> owners{};
  std::vector<std::string> finalizers{};
  std::map<std::string, std::string> labels{};
  std::map<std::string, std::string> annotations{};

  friend bool operator==(const LeaseMetadata&, const LeaseMetadata&) = default;
};

}  // namespace gs::kube
