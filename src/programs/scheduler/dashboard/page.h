// The dashboard: a page that is carried inside the program, as plain HTML, CSS and JavaScript
// modules from the folder page/. It reads /api/v1 and changes nothing. docs/dashboard.md describes
// it.
#pragma once

#include <optional>
#include <string_view>

namespace gs::scheduler {

struct PageFile {
  std::string_view content_type;
  std::string_view text;
};

// By the path of a request, "/" for the page itself; absent if it is none of its files.
[[nodiscard]] std::optional<PageFile> FindPageFile(std::string_view path);

}  // namespace gs::scheduler
