#include "tests/published/reference_data.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "adapters/json/parse.h"

namespace gs::published {

std::filesystem::path DataFolder() {
  const char* folder = std::getenv("GS_SHARED_DATA");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(GS_SOURCE_DIR) / ".." / "shared" / "data";
}

std::optional<boost::json::value> LoadJson(const std::string& name) {
  const std::filesystem::path file = DataFolder() / name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  auto value = json::ParseJson(text.str());
  EXPECT_TRUE(value) << file << ": " << value.error();
  if (!value) return std::nullopt;
  return *std::move(value);
}

}  // namespace gs::published
