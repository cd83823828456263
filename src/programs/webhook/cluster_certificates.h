// ClusterCertificates: certificates in a Secret, made and renewed by us or brought by others, and
// the caBundle of the webhook's configuration, kept in step with it.
//
// Replicas agree through the Secret: whoever writes it names the version he has read, and who comes
// too late reads again. The configuration is read before the Secret and written only if it has not
// changed since, so that nobody can put back what a newer Secret has replaced. A new authority is
// added to the caBundle before its certificate is shown, whoever made it.
#pragma once

#include <string>

#include "adapters/kube/api/api_client.h"
#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/webhook/certificate_objects.h"
#include "programs/webhook/certificate_source.h"
#include "programs/webhook/options.h"
#include "programs/webhook/trusted_authorities.h"

namespace gs::webhook {

// What API servers ask for: "gpu-scheduler-webhook.team.svc".
[[nodiscard]] std::string HostOf(const CertificateOptions& options);

class ClusterCertificates final : public CertificateSource {
 public:
  // Requires: options.ns is set. The client must outlive it.
  ClusterCertificates(kube::ApiClient& client, CertificateOptions options, runtime::Logger log);

  // Errors are those of the server, or of what it has.
  [[nodiscard]] Result<ServingBundle> Read(TimePoint now) override;

 private:
  struct Found {
    std::string name;
    CertificateSecret secret;
    bool is_ours = false;  // to be filled and renewed
  };

  [[nodiscard]] Result<ServingBundle> ReadOnce(TimePoint now);
  [[nodiscard]] Result<TrustConfiguration> ReadConfiguration();
  [[nodiscard]] Result<Found> FindSecret();
  [[nodiscard]] Result<Found> FindOurs();
  [[nodiscard]] Result<Found> Look(const std::string& name);
  [[nodiscard]] Result<CertificateSecret> ReadSecret(const std::string& name);
  [[nodiscard]] Result<certificates::KeptCertificates> Renewed(const Found& found,
                                                               const std::string& told_pem,
                                                               TimePoint now);
  [[nodiscard]] Result<void> Tell(const TrustConfiguration& configuration,
                                  const std::string& authorities_pem, TimePoint now);
  // The body of a good answer.
  [[nodiscard]] Result<std::string> Ask(const http::Request& request);

  kube::ApiClient& client_;
  const CertificateOptions options_;
  const runtime::Logger log_;
  TrustedAuthorities trusted_;
};

}  // namespace gs::webhook
