// CertificateKeeper: looks at the source again and again, and hands what is good to the server.
// While there is nothing good, the last good certificate stays in use. So it does while clients
// were not told of the next one's authority, and for a period after that, which they have to
// notice.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "adapters/metrics/registry.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/log.h"
#include "adapters/runtime/mutex.h"
#include "base/result.h"
#include "programs/webhook/certificate_source.h"

namespace gs::webhook {

struct KeeperOptions {
  std::string host;  // that the certificate has to be for; empty: any
  Duration period{0};
};

class CertificateKeeper {
 public:
  using Use = std::function<Result<void>(const certificates::Certificate&)>;

  // Begins at once, on a thread of its own. Clock and registry must outlive it, and so must what
  // `use` refers to.
  CertificateKeeper(std::unique_ptr<CertificateSource> source, KeeperOptions options,
                    const runtime::Clock& clock, const metrics::Registry& registry,
                    runtime::Logger log, Use use);
  ~CertificateKeeper() = default;
  CertificateKeeper(const CertificateKeeper&) = delete;
  CertificateKeeper& operator=(const CertificateKeeper&) = delete;
  CertificateKeeper(CertificateKeeper&&) = delete;
  CertificateKeeper& operator=(CertificateKeeper&&) = delete;

  // Why API servers would not believe us; empty once a good certificate is in use. From any thread.
  [[nodiscard]] std::string WhyNotReady() const GS_EXCLUDES(mutex_);

 private:
  void Run(const std::stop_token& stop);
  [[nodiscard]] Result<void> LookOnce();
  [[nodiscard]] bool MayUse(const ServingBundle& bundle);
  [[nodiscard]] Result<void> Change(ServingBundle bundle);
  void Note(const Result<void>& looked) GS_EXCLUDES(mutex_);

  const std::unique_ptr<CertificateSource> source_;
  const KeeperOptions options_;
  const runtime::Clock& clock_;
  const runtime::Logger log_;
  const Use use_;
  const metrics::Gauges expiry_;
  const metrics::Gauges problem_;
  std::optional<ServingBundle> used_;  // by the thread only
  // Likewise: seen trusted, and used if the next look finds the same.
  std::optional<certificates::Certificate> next_;
  std::string last_problem_;  // likewise

  mutable runtime::Mutex mutex_;
  std::string why_not_ready_ GS_GUARDED_BY(mutex_) = "no certificate yet";
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace gs::webhook
