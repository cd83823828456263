// The objects that certificates live in, as text to values and back: the Secret that holds them,
// and the MutatingWebhookConfiguration that tells API servers whom to trust. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/certificates/renewal.h"
#include "base/result.h"

namespace gs::webhook {

class CertificateSecret {
 public:
  [[nodiscard]] static Result<CertificateSecret> Parse(std::string_view json);

  // Somebody has put a certificate into it.
  [[nodiscard]] bool is_filled() const { return !kept_.serving.certificate_pem.empty(); }
  // Empty, or filled by a webhook of ours: it may be written.
  [[nodiscard]] bool is_ours() const { return is_ours_; }
  [[nodiscard]] const certificates::KeptCertificates& kept() const { return kept_; }

  // The same Secret with these in it and a mark that they are ours; for a PUT, which the server
  // refuses if the Secret has changed since.
  [[nodiscard]] std::string With(const certificates::KeptCertificates& kept) const;

 private:
  boost::json::object object_;
  certificates::KeptCertificates kept_;
  bool is_ours_ = false;
};

struct TrustConfiguration {
  std::string resource_version;
  std::vector<std::string> bundles_pem;  // of its webhooks, in their order; empty: none is set

  // What all of them trust; empty if they differ.
  [[nodiscard]] std::string common_pem() const;
};

[[nodiscard]] Result<TrustConfiguration> ParseConfiguration(std::string_view json);

// A JSON patch that sets the bundle of every webhook, unless the configuration has changed since.
[[nodiscard]] std::string TrustPatch(const TrustConfiguration& configuration,
                                     const std::string& authorities_pem);

}  // namespace gs::webhook
