#include "adapters/runtime/read_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace gs::runtime {
namespace {

Error Refuse(const std::filesystem::path& path, ErrorKind kind, std::string message) {
  return Error(kind, std::move(message)).Within(path.string());
}

}  // namespace

Result<std::string> ReadFile(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code ignored;  // opening it tells what else is wrong
  if (std::filesystem::is_directory(path, ignored)) {
    return Refuse(path, ErrorKind::kInvalid, "is a directory, not a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const ErrorKind kind = errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kInvalid;
    return Refuse(path, kind, std::string("cannot be opened: ") + std::strerror(errno));
  }
  std::string text(max_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Refuse(path, ErrorKind::kUnavailable, "reading it failed");
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.shrink_to_fit();
  if (text.size() <= max_bytes) return text;
  return Refuse(path, ErrorKind::kInvalid,
                "is larger than the " + std::to_string(max_bytes) + " bytes that are read");
}

}  // namespace gs::runtime
