// Certificates for tests, made when they are needed: an authority and what it signs. Never shipped.
#pragma once

#include <memory>
#include <string>

#include "adapters/http/tls.h"

namespace gs::http {

struct CertificateWish {
  std::string name;         // the common name
  std::string alternative;  // "DNS:localhost,IP:127.0.0.1"
  int valid_from_days = -1;
  int valid_until_days = 1;
  int valid_until_seconds = 0;  // more than the days
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);
  // One that exists already, such as a cluster's. Requires: PEM texts that belong together.
  TestAuthority(const std::string& certificate_pem, const std::string& key_pem);
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;
  TestAuthority(TestAuthority&&) = delete;
  TestAuthority& operator=(TestAuthority&&) = delete;

  // A certificate of this authority, its key, and the authority itself as the one to trust.
  [[nodiscard]] TlsCredentials Issue(const CertificateWish& wish) const;
  [[nodiscard]] std::string pem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::http
