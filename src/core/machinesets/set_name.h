// What a machine set of ours is called.
#pragma once

#include <string>
#include <string_view>

namespace gs::machinesets {

// "<infrastructure>-gpu-<type>-<zone>", in lower case and with dashes for whatever a name may not
// have. It is a label's value as well, so one of more than 63 characters is cut and ends in a hash
// of the whole. Without a zone the last part is left out.
[[nodiscard]] std::string SetNameOf(std::string_view infrastructure, std::string_view type,
                                    std::string_view zone);

}  // namespace gs::machinesets
