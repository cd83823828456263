// `gpu-local demo`: what the product does, seen in a second: pods of some manifests are created in
// a running cluster and, once they are placed, shown with what they got.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "programs/local/api_connection.h"

namespace gs::local {

// Every document of the files, in their order.
[[nodiscard]] Result<std::vector<boost::json::value>> ReadManifests(
    const std::vector<std::string>& files);

// How many pods come of the objects.
[[nodiscard]] std::size_t PodsOf(const std::vector<boost::json::value>& objects);

// Creates them and waits until their pods are on nodes; an error names those that are not in time.
[[nodiscard]] Result<boost::json::array> CreateAndWait(
    ApiConnection& api, const std::vector<boost::json::value>& objects, Duration timeout);

// Who got what, one line per pod.
[[nodiscard]] std::string PrintPlaces(const boost::json::array& pods);

}  // namespace gs::local
