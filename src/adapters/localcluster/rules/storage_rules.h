// Volumes, claims and storage classes: what is filled in.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

// A claim that a stateful set will make.
void DefaultClaimTemplate(boost::json::object& claim);
// The default storage class comes from the store.
void DefaultNewClaim(const Store& store, boost::json::object& claim);
void DefaultNewVolume(boost::json::object& volume);
void DefaultStorageClass(boost::json::object& storage_class);

}  // namespace gs::localcluster
