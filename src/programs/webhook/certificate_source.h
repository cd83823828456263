// CertificateSource: where the certificate that the webhook shows comes from.
#pragma once

#include <string>

#include "adapters/certificates/authority.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::webhook {

struct ServingBundle {
  certificates::Certificate serving;
  std::string authorities_pem;  // that vouch for it; empty: not said
  bool is_trusted = true;       // clients were told of an authority that vouches for it

  friend bool operator==(const ServingBundle&, const ServingBundle&) = default;
};

class CertificateSource {
 public:
  CertificateSource() = default;
  virtual ~CertificateSource() = default;
  CertificateSource(const CertificateSource&) = delete;
  CertificateSource& operator=(const CertificateSource&) = delete;
  CertificateSource(CertificateSource&&) = delete;
  CertificateSource& operator=(CertificateSource&&) = delete;

  // What is there now. It may be no good: whoever reads it checks it. May wait for a server.
  [[nodiscard]] virtual Result<ServingBundle> Read(TimePoint now) = 0;
};

}  // namespace gs::webhook
