#include "adapters/http/test_certificates.h"

#include "base/check.h"

namespace gs::http {
namespace {

template <class T>
T Certainly(Result<T> made) {
  GS_CHECK(made.ok());
  return *std::move(made);
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name)
    : authority_(Certainly(certificates::Authority::Create(name, 1))) {}

TestAuthority::TestAuthority(const std::string& certificate_pem, const std::string& key_pem)
    : authority_(Certainly(certificates::Authority::Load(certificate_pem, key_pem))) {}

std::string TestAuthority::pem() const { return authority_.own().certificate_pem; }

TlsCredentials TestAuthority::Issue(const CertificateWish& wish) const {
  auto made = Certainly(authority_.Issue(wish));
  return {.certificate_pem = std::move(made.certificate_pem),
          .key_pem = std::move(made.key_pem),
          .ca_pem = pem()};
}

}  // namespace gs::http
