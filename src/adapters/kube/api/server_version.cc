#include "adapters/kube/api/server_version.h"

#include <cstddef>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/json_view.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::kube {
namespace {

// The digits at the beginning; what follows them is the vendor's.
int ReadNumber(const JsonView& field) {
  const std::string text = field.RequiredText();
  std::size_t digits = 0;
  while (digits < text.size() && text::IsDigit(text[digits])) ++digits;
  const auto number = ParseInt32(std::string_view(text).substr(0, digits), {0, 1'000'000});
  if (!number) field.Fail("expected a number, got " + json::Quoted(text));
  return number ? *number : 0;
}

}  // namespace

Result<ServerVersion> ParseServerVersion(std::string_view body) {
  const auto document = JsonDocument::Parse(body);
  if (!document) return Error(document.error()).Within("version");
  const JsonView root = document->root();
  ServerVersion version{.major = ReadNumber(root.Field("major")),
                        .minor = ReadNumber(root.Field("minor")),
                        .text = root.Field("gitVersion").Text()};
  if (auto done = document->Finish(); !done) return std::move(done).error().Within("version");
  if (version.text.empty()) {
    version.text = "v" + std::to_string(version.major) + "." + std::to_string(version.minor);
  }
  return version;
}

Result<void> CheckServerVersion(const ServerVersion& version) {
  const bool is_new_enough = version.major > kOldestMajor ||
                             (version.major == kOldestMajor && version.minor >= kOldestMinor);
  if (is_new_enough) return {};
  return Error(ErrorKind::kUnsupported,
               "the API server is " + version.text + ", and " + std::to_string(kOldestMajor) + "." +
                   std::to_string(kOldestMinor) +
                   " or newer is needed: scheduling gates and ValidatingAdmissionPolicy, which "
                   "pods and their GPUs rely on, are stable only from there on")
      .Advise("upgrade the cluster");
}

}  // namespace gs::kube
