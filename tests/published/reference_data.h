// Reference data of other projects, read where it lies and never copied: GS_SHARED_DATA names the
// folder, default
// ../shared/data beside the project.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace gs::published {

[[nodiscard]] std::filesystem::path DataFolder();

// Nothing if the file is not there. A file that is there and cannot be read fails the running test.
[[nodiscard]] std::optional<boost::json::value> LoadJson(const std::string& name);

}  // namespace gs::published
