// ConfigMaps and Secrets: what may be a key of theirs, and what is never changed again.
#pragma once

#include <boost/json/fwd.hpp>

#include "adapters/localcluster/rules/faults.h"

namespace gs::localcluster {

// `old` is null for one that is new.
void CheckConfigMap(const boost::json::object* old, const boost::json::object& map, Faults& faults);
void CheckSecret(const boost::json::object* old, const boost::json::object& secret, Faults& faults);

}  // namespace gs::localcluster
