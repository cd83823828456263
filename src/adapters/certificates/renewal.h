// Renewal: when a server that issues its certificates itself makes new ones, so that a client which
// follows late never meets a certificate that it does not trust. A pure function of what is kept
// and of the time; several replicas that share what is kept come to the same steps.
//
// A new certificate has a new authority, whose key is thrown away at once. It is made when half of
// the old one's life is over, and at first only its authority is told, next to the old one. It is
// shown once clients have been told and had some time to notice.
#pragma once

#include <optional>
#include <string>

#include "adapters/certificates/authority.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::certificates {

struct KeptCertificates {
  Certificate serving;          // shown to clients; empty at first
  std::string authorities_pem;  // what clients are to trust
  Certificate next;             // to be shown soon; empty: none

  friend bool operator==(const KeptCertificates&, const KeptCertificates&) = default;
};

struct RenewalOptions {
  std::string name;         // the common name of what is made
  std::string alternative;  // "DNS:hook.team.svc,DNS:..."
  std::string host;         // that clients ask for; one of the names
  Duration lifetime{0};     // whole seconds
};

// For so long clients trust a new authority before its certificate is shown.
[[nodiscard]] Duration OverlapOf(Duration lifetime);

// What is to be kept from now on; nothing where all is well. `told_pem`: what clients were told to
// trust, as far as is known.
[[nodiscard]] Result<std::optional<KeptCertificates>> Renew(const KeptCertificates& kept,
                                                            const std::string& told_pem,
                                                            const RenewalOptions& options,
                                                            TimePoint now);

}  // namespace gs::certificates
