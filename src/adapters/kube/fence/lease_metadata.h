// LeaseMetadata: the metadata of a Lease that several write to. A PUT replaces all of it, so
// whatever others have put there has to be read and said again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/kube/objects/owner_reference.h"
#include "base/ids.h"

namespace gs::kube {

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
