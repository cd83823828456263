// Amounts of resources as an API server stores them: canonical, so that 0.5 is 500m and the number
// 2 the text "2".
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

namespace gs::localcluster {

// Every amount in the map `field`. What is no amount stays as it is, for validation to refuse.
void CanonicalQuantities(boost::json::object& object, std::string_view field);

}  // namespace gs::localcluster
