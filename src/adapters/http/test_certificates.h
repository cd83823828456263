// Certificates for tests, made when they are needed: an authority and what it signs. Never shipped.
#pragma once

#include <string>

#include "adapters/certificates/authority.h"
#include "adapters/http/tls.h"

namespace gs::http {

using certificates::CertificateWish;

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);
  // One that exists already, such as a cluster's. Requires: PEM texts that belong together.
  TestAuthority(const std::string& certificate_pem, const std::string& key_pem);

  // A certificate of this authority, its key, and the authority itself as the one to trust.
  [[nodiscard]] TlsCredentials Issue(const CertificateWish& wish) const;
  [[nodiscard]] std::string pem() const;

 private:
  certificates::Authority authority_;
};

}  // namespace gs::http
