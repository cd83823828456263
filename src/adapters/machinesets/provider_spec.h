// spec.template.spec.providerSpec.value: the part of a machine set that only its cloud understands.
// What is named here is read or changed; everything else stays as the worker set has it.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/result.h"
#include "core/machinesets/plan.h"

namespace gs::machinesets {

// Empty where there is none.
[[nodiscard]] const boost::json::object& ProviderSpecOf(const boost::json::value& machine_set);

// Empty where it names none.
[[nodiscard]] std::string ZoneOf(Platform platform, const boost::json::object& provider_spec);

// Makes that of a worker set the one of the planned set.
void ChangeProviderSpec(Platform platform, const PlannedSet& set,
                        boost::json::object& provider_spec);

}  // namespace gs::machinesets
