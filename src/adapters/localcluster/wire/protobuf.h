// Objects of the API in protobuf, as typed clients send them: an envelope that names the kind, and
// the object in it. Read only: answers are JSON, which every client takes.
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "base/result.h"

namespace gs::localcluster {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// Refuses what is cut off, nested too deeply, or of a kind nothing is known of. Fields that are not
// known are left out.
[[nodiscard]] Result<boost::json::object> ReadProtobuf(std::string_view bytes);

}  // namespace gs::localcluster
