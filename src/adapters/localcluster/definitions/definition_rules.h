// What an API server fills into a CustomResourceDefinition, what it refuses of one, and which kinds
// it makes.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "adapters/localcluster/rules/faults.h"
#include "adapters/localcluster/store/kind.h"
#include "base/time.h"

namespace gs::localcluster {

inline constexpr const char* kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

void DefaultDefinition(boost::json::object& definition);
// As the real server's controllers would set it a moment later.
void EstablishDefinition(boost::json::object& definition, TimePoint now);
void CheckDefinition(const boost::json::object& definition, Faults& faults);

// The versions that are served, the one that is stored first.
[[nodiscard]] std::vector<Kind> KindsOf(const boost::json::object& definition);

}  // namespace gs::localcluster
