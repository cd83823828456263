#include "programs/webhook/certificate_keeper.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "adapters/certificates/inspect.h"

namespace gs::webhook {
namespace {

// Until there is a first certificate nobody can be served, so that is looked for eagerly.
constexpr Duration kEagerPeriod = std::chrono::seconds(1);

void Wait(const std::stop_token& stop, Duration period) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, period, [] { return false; });
}

double SecondsOf(TimePoint time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

CertificateKeeper::CertificateKeeper(std::unique_ptr<CertificateSource> source,
                                     KeeperOptions options, const runtime::Clock& clock,
                                     const metrics::Registry& registry, runtime::Logger log,
                                     Use use)
    : source_(std::move(source)),
      options_(std::move(options)),
      clock_(clock),
      log_(std::move(log)),
      use_(std::move(use)),
      expiry_(registry.AddGauges(
          {.name = "gpu_webhook_certificate_expiry_timestamp_seconds",
           .help = "When the certificate that is shown expires, in seconds since 1970.",
           .labels = {}})),
      problem_(registry.AddGauges(
          {.name = "gpu_webhook_certificate_problem",
           .help = "1 while there is no good certificate, or a new one cannot be used.",
           .labels = {}})),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

std::string CertificateKeeper::WhyNotReady() const {
  const runtime::MutexLock lock(mutex_);
  return why_not_ready_;
}

void CertificateKeeper::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Note(LookOnce());
    Wait(stop, used_ ? options_.period : std::min(options_.period, kEagerPeriod));
  }
}

Result<void> CertificateKeeper::LookOnce() {
  const TimePoint now = clock_.WallTime();
  auto bundle = source_->Read(now);
  if (!bundle) return std::move(bundle).error();
  auto fine =
      certificates::CheckServing(bundle->serving, bundle->authorities_pem, options_.host, now);
  if (!fine) return std::move(fine).Within("certificate");
  if (used_ && bundle->serving == used_->serving) {
    next_.reset();
    return {};
  }
  return MayUse(*bundle) ? Change(*std::move(bundle)) : Result<void>();
}

// Whoever shows nothing yet is asked by nobody, so he need not wait for clients to notice.
bool CertificateKeeper::MayUse(const ServingBundle& bundle) {
  const bool was_trusted = next_ == bundle.serving;
  next_ = bundle.is_trusted ? std::optional(bundle.serving) : std::nullopt;
  return bundle.is_trusted && (!used_ || was_trusted);
}

Result<void> CertificateKeeper::Change(ServingBundle bundle) {
  if (auto used = use_(bundle.serving); !used) return used;
  const auto validity = certificates::ValidityOf(bundle.serving.certificate_pem);
  if (!validity) return validity.error();
  used_ = std::move(bundle);
  expiry_.Set({}, SecondsOf(validity->until));
  log_.Info("uses a certificate", {{"until", PrintTime(validity->until)}});
  return {};
}

// Once per change.
void CertificateKeeper::Note(const Result<void>& looked) {
  const std::string problem = looked ? "" : ToString(looked.error());
  problem_.Set({}, problem.empty() ? 0 : 1);
  if (problem != last_problem_ && !problem.empty()) {
    log_.Warning(used_ ? "keeps the last good certificate" : "no certificate yet",
                 {{"why", problem}});
  }
  last_problem_ = problem;
  const runtime::MutexLock lock(mutex_);
  const std::string why = problem.empty() ? "API servers are being told of it" : problem;
  why_not_ready_ = used_ ? "" : "no certificate yet: " + why;
}

}  // namespace gs::webhook
