// FolderCertificates: tls.crt and tls.key in a folder, and ca.crt if it is there, as Kubernetes
// mounts a Secret.
#pragma once

#include <filesystem>

#include "programs/webhook/certificate_source.h"

namespace gs::webhook {

class FolderCertificates final : public CertificateSource {
 public:
  explicit FolderCertificates(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Result<ServingBundle> Read(TimePoint now) override;

 private:
  const std::filesystem::path folder_;
};

}  // namespace gs::webhook
