// Reviewer: an API server's question as an HTTP request to the answer. It waits for nobody, so that
// one question never holds up another.
//
// From any thread.
#pragma once

#include <functional>
#include <optional>

#include "adapters/http/message.h"
#include "adapters/metrics/registry.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "core/admit/admit.h"

namespace gs::webhook {

class Reviewer {
 public:
  // What a claim says of sharing; nothing: not known.
  using FindClaim =
      std::function<std::optional<model::Exclusivity>(const Namespace&, const ClaimName&)>;

  // Registry and clock must outlive it.
  Reviewer(admit::Policy policy, FindClaim find_claim, const metrics::Registry& registry,
           const runtime::Clock& clock, runtime::Logger log);

  [[nodiscard]] http::Response Answer(const http::Request& request) const;

 private:
  [[nodiscard]] http::Response Review(const std::string& body) const;
  [[nodiscard]] http::Response Malformed(int status, const std::string& why) const;

  const admit::Policy policy_;
  const FindClaim find_claim_;
  const runtime::Clock& clock_;
  const runtime::Logger log_;
  const metrics::Counters reviews_;
  const metrics::Histograms durations_;
};

}  // namespace gs::webhook
