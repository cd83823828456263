// Services: what is filled in, the address among it, and what is refused.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/localcluster/rules/faults.h"
#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

// `old` is null for a create. An address that nobody has is taken; it stays with the service.
void DefaultService(const Store& store, const boost::json::object* old,
                    boost::json::object& service);
void CheckService(const boost::json::object* old, const boost::json::object& service,
                  Faults& faults);

}  // namespace gs::localcluster
