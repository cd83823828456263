#include "programs/webhook/folder_certificates.h"

#include "adapters/runtime/read_file.h"

namespace gs::webhook {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

}  // namespace

Result<ServingBundle> FolderCertificates::Read(TimePoint /*now*/) {
  auto certificate = runtime::ReadFile(folder_ / "tls.crt", kMaxBytes);
  if (!certificate) return std::move(certificate).error();
  auto key = runtime::ReadFile(folder_ / "tls.key", kMaxBytes);
  if (!key) return std::move(key).error();
  auto authorities = runtime::ReadFile(folder_ / "ca.crt", kMaxBytes);
  if (!authorities && authorities.error().kind() != ErrorKind::kNotFound) {
    return std::move(authorities).error();
  }
  return ServingBundle{.serving = {*std::move(certificate), *std::move(key)},
                       .authorities_pem = authorities ? *std::move(authorities) : ""};
}

}  // namespace gs::webhook
