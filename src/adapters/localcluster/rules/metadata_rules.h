// What holds for the metadata of every object: how its name may look, and its labels, annotations
// and owners.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/localcluster/rules/faults.h"

namespace gs::localcluster {

void CheckMetadata(const Kind& kind, const boost::json::object& object, Faults& faults);
// Labels of `field`, such as spec.template.metadata.labels.
void CheckLabels(const boost::json::object* labels, const std::string& field, Faults& faults);

// "" if the text is a DNS-1123 label, otherwise what is wrong with it.
[[nodiscard]] std::string DnsLabelFault(std::string_view text);

}  // namespace gs::localcluster
