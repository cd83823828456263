#include "programs/webhook/cluster_certificates.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/certificates/inspect.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/api/status_answer.h"

namespace gs::webhook {
namespace {

constexpr kube::Resource kSecrets{"", "v1", "secrets"};
constexpr kube::Resource kConfigurations{"admissionregistration.k8s.io", "v1",
                                         "mutatingwebhookconfigurations", false};
constexpr Duration kTimeout = std::chrono::seconds(10);
// Replicas that start together write at the same moment, but only one of them each time.
constexpr int kAttempts = 5;

ErrorKind KindOf(int status) {
  if (status == 404) return ErrorKind::kNotFound;
  if (status == 409) return ErrorKind::kConflict;
  return ErrorKind::kUnavailable;
}

// A failed test of a patch says that somebody else was faster.
bool IsLostRace(const http::Request& request, int status) {
  return status == 422 && request.method == http::Method::kPatch;
}

Error Refusal(const http::Request& request, const http::Response& response) {
  const auto status = kube::ParseStatus(response.body);
  const std::string message = status && !status->message.empty()
                                  ? status->message
                                  : "the server answered " + std::to_string(response.status);
  const bool is_race = IsLostRace(request, response.status);
  return {is_race ? ErrorKind::kConflict : KindOf(response.status), message};
}

// Time enough for all replicas to see a new certificate, and to show it.
Duration OverlapOf(const CertificateOptions& options) {
  constexpr int kLooks = 6;
  return std::max(certificates::OverlapOf(options.lifetime), kLooks * options.check_period);
}

// Whether API servers that were told this believe whoever shows the certificate.
bool IsTrusted(const certificates::Certificate& serving, const TrustConfiguration& configuration,
               const std::string& host, TimePoint now) {
  const auto& told = configuration.bundles_pem;
  return std::all_of(told.begin(), told.end(), [&](const std::string& bundle) {
    return !bundle.empty() && certificates::CheckServing(serving, bundle, host, now).ok();
  });
}

http::Headers JsonHeaders(std::string type) {
  return {{"Content-Type", std::move(type)}, {"Accept", "application/json"}};
}

}  // namespace

std::string HostOf(const CertificateOptions& options) {
  return options.service + "." + options.ns.text() + ".svc";
}

ClusterCertificates::ClusterCertificates(kube::ApiClient& client, CertificateOptions options,
                                         runtime::Logger log)
    : client_(client),
      options_(std::move(options)),
      log_(std::move(log)),
      trusted_(OverlapOf(options_)) {}

Result<ServingBundle> ClusterCertificates::Read(TimePoint now) {
  Result<ServingBundle> read = ReadOnce(now);
  for (int i = 1; i < kAttempts && !read && read.error().kind() == ErrorKind::kConflict; ++i) {
    read = ReadOnce(now);
  }
  return read;
}

Result<ServingBundle> ClusterCertificates::ReadOnce(TimePoint now) {
  auto configuration = ReadConfiguration();
  if (!configuration) return std::move(configuration).error();
  auto found = FindSecret();
  if (!found) return std::move(found).error();
  auto kept = found->is_ours ? Renewed(*found, configuration->common_pem(), now)
                             : Result<certificates::KeptCertificates>(found->secret.kept());
  if (!kept) return std::move(kept).error();
  const std::string wanted = JoinBundles(kept->authorities_pem, options_.authorities_pem);
  // Of what cannot be shown nobody is told.
  if (certificates::CheckServing(kept->serving, wanted, HostOf(options_), now)) {
    if (auto told = Tell(*configuration, wanted, now); !told) return std::move(told).error();
  }
  // Without any authority we tell nobody, so it is others who know whether it is trusted.
  const bool is_trusted =
      wanted.empty() || IsTrusted(kept->serving, *configuration, HostOf(options_), now);
  return ServingBundle{
      .serving = std::move(kept->serving), .authorities_pem = wanted, .is_trusted = is_trusted};
}

// A configuration that is not there yet is told whom to trust once it is.
Result<TrustConfiguration> ClusterCertificates::ReadConfiguration() {
  if (options_.configuration.empty()) return TrustConfiguration{};
  auto text = Ask({.method = http::Method::kGet,
                   .target = kube::ObjectPath(kConfigurations, {}, options_.configuration),
                   .headers = {{"Accept", "application/json"}},
                   .body = "",
                   .peer = {}});
  if (!text && text.error().kind() == ErrorKind::kNotFound) return TrustConfiguration{};
  if (!text) return std::move(text).error();
  return ParseConfiguration(*text).Within("MutatingWebhookConfiguration " + options_.configuration);
}

Result<CertificateSecret> ClusterCertificates::ReadSecret(const std::string& name) {
  auto text = Ask({.method = http::Method::kGet,
                   .target = kube::ObjectPath(kSecrets, options_.ns, name),
                   .headers = {{"Accept", "application/json"}},
                   .body = "",
                   .peer = {}});
  if (!text) return std::move(text).error();
  return CertificateSecret::Parse(*text).Within("Secret " + options_.ns.text() + "/" + name);
}

Result<ClusterCertificates::Found> ClusterCertificates::Look(const std::string& name) {
  auto secret = ReadSecret(name);
  if (!secret) return std::move(secret).error();
  return Found{name, *std::move(secret), false};
}

// The user's own come first, and are never written.
Result<ClusterCertificates::Found> ClusterCertificates::FindSecret() {
  const std::string named = options_.secret;
  if (options_.mode == CertificateMode::kCertManager) {
    return Look(named.empty() ? options_.service + "-tls" : named);
  }
  if (!named.empty() || options_.mode == CertificateMode::kSecret) {
    return Look(named.empty() ? options_.service + "-cert" : named);
  }
  if (options_.mode == CertificateMode::kSelf) return FindOurs();
  for (const char* ending : {"-cert", "-tls"}) {
    auto theirs = Look(options_.service + ending);
    if (theirs ? !theirs->secret.is_ours() : theirs.error().kind() != ErrorKind::kNotFound) {
      return theirs;
    }
  }
  return FindOurs();
}

// Older charts make the Secret -tls for us, and let us see no other.
Result<ClusterCertificates::Found> ClusterCertificates::FindOurs() {
  auto ours = Look(options_.service + "-self");
  if (!ours) {
    auto older = Look(options_.service + "-tls");
    if (!older || !older->secret.is_ours()) return ours;
    ours = std::move(older);
  }
  ours->is_ours = ours->secret.is_ours();
  if (ours->is_ours) return ours;
  return Error(ErrorKind::kInvalid, "Secret " + ours->name + " was filled by somebody else")
      .Advise("delete its data, and put a certificate of your own into " + options_.service +
              "-cert");
}

Result<certificates::KeptCertificates> ClusterCertificates::Renewed(const Found& found,
                                                                    const std::string& told_pem,
                                                                    TimePoint now) {
  const std::string host = HostOf(options_);
  auto renewed =
      certificates::Renew(found.secret.kept(), told_pem,
                          {.name = options_.service,
                           .alternative = "DNS:" + host + ",DNS:" + host + ".cluster.local",
                           .host = host,
                           .lifetime = options_.lifetime},
                          now);
  if (!renewed) return std::move(renewed).error();
  if (!renewed->has_value()) return found.secret.kept();
  auto written = Ask({.method = http::Method::kPut,
                      .target = kube::ObjectPath(kSecrets, options_.ns, found.name),
                      .headers = JsonHeaders("application/json"),
                      .body = found.secret.With(**renewed),
                      .peer = {}});
  if (!written) return std::move(written).error();
  log_.Info("wrote certificates",
            {{"secret", options_.ns.text() + "/" + found.name},
             {"shown", (**renewed).next.certificate_pem.empty() ? "now" : "once it is trusted"}});
  return **std::move(renewed);
}

Result<void> ClusterCertificates::Tell(const TrustConfiguration& configuration,
                                       const std::string& authorities_pem, TimePoint now) {
  if (authorities_pem.empty() || configuration.bundles_pem.empty()) return {};
  const std::string present = configuration.common_pem();
  const std::string next = trusted_.Next(present, authorities_pem, now);
  if (next == present) return {};
  auto written = Ask({.method = http::Method::kPatch,
                      .target = kube::ObjectPath(kConfigurations, {}, options_.configuration),
                      .headers = JsonHeaders("application/json-patch+json"),
                      .body = TrustPatch(configuration, next),
                      .peer = {}});
  if (!written) return std::move(written).error();
  log_.Info("set caBundle", {{"configuration", options_.configuration}});
  return {};
}

Result<std::string> ClusterCertificates::Ask(const http::Request& request) {
  const std::string what = std::string(ToString(request.method)) + " " + request.target;
  auto outcome = client_.Send(request, {.timeout = kTimeout, .stop = {}});
  if (const auto* error = http::ErrorOf(outcome)) return Error(*error).Within(what);
  auto& response = std::get<http::Response>(outcome);
  if (response.status >= 200 && response.status < 300) return std::move(response.body);
  return Refusal(request, response).Within(what);
}

}  // namespace gs::webhook
