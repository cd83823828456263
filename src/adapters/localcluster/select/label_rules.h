// What Kubernetes accepts as the name and the value of a label, and how an API server words what it
// does not. Names of annotations follow the rule of names too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gs::localcluster {

// Empty if nothing is wrong; otherwise sentences such as "name part must be non-empty".
[[nodiscard]] std::vector<std::string> LabelNameFaults(std::string_view name);
[[nodiscard]] std::vector<std::string> LabelValueFaults(std::string_view value);

}  // namespace gs::localcluster
