#include "adapters/certificates/renewal.h"

#include <algorithm>
#include <utility>

#include "adapters/certificates/inspect.h"

namespace gs::certificates {
namespace {

constexpr Duration kLongestOverlap = std::chrono::hours(1);

struct Made {
  Certificate serving;
  std::string authority_pem;
};

Result<Made> Make(const RenewalOptions& options, TimePoint now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options.lifetime).count();
  CertificateWish wish{.name = options.name + "-ca",
                       .valid_until_days = static_cast<int>(seconds / 86400),
                       .valid_until_seconds = static_cast<int>(seconds % 86400),
                       .now = now};
  const auto authority = Authority::Create(wish);
  if (!authority) return authority.error();
  wish.name = options.name;
  wish.alternative = options.alternative;
  auto serving = authority->Issue(wish);
  if (!serving) return std::move(serving).error();
  return Made{*std::move(serving), authority->own().certificate_pem};
}

bool IsGood(const Certificate& certificate, const std::string& authorities_pem,
            const RenewalOptions& options, TimePoint now) {
  return !certificate.certificate_pem.empty() &&
         CheckServing(certificate, authorities_pem, options.host, now).ok();
}

// Those that vouch for what is shown: clients that have seen nothing newer still need them.
std::string AuthoritiesOf(const KeptCertificates& kept, const RenewalOptions& options,
                          TimePoint now) {
  std::string vouching;
  for (const auto& authority : SplitBundle(kept.authorities_pem)) {
    if (IsGood(kept.serving, authority, options, now)) vouching += authority;
  }
  return vouching;
}

bool AreAllTold(const std::string& authorities_pem, const std::string& told_pem) {
  const auto told = SplitBundle(told_pem);
  const auto wanted = SplitBundle(authorities_pem);
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& authority) {
    return std::find(told.begin(), told.end(), authority) != told.end();
  });
}

KeptCertificates Promote(const KeptCertificates& kept) {
  return {.serving = kept.next, .authorities_pem = kept.authorities_pem, .next = {}};
}

TimePoint EndOf(const Certificate& certificate) {
  const auto validity = ValidityOf(certificate.certificate_pem);
  return validity ? validity->until : TimePoint{};
}

}  // namespace

Duration OverlapOf(Duration lifetime) { return std::min(lifetime / 12, kLongestOverlap); }

Result<std::optional<KeptCertificates>> Renew(const KeptCertificates& kept,
                                              const std::string& told_pem,
                                              const RenewalOptions& options, TimePoint now) {
  const bool is_good = IsGood(kept.serving, kept.authorities_pem, options, now);
  const bool has_next = IsGood(kept.next, kept.authorities_pem, options, now);
  if (has_next) {
    const TimePoint made_at = EndOf(kept.next) - options.lifetime;
    const bool is_due =
        now >= made_at + OverlapOf(options.lifetime) && AreAllTold(kept.authorities_pem, told_pem);
    if (is_due || !is_good) return std::optional(Promote(kept));
    return std::optional<KeptCertificates>();
  }
  const bool is_young = now < EndOf(kept.serving) - options.lifetime / 2;
  if (is_good && is_young) return std::optional<KeptCertificates>();
  auto made = Make(options, now);
  if (!made) return std::move(made).error();
  if (!is_good) {
    return std::optional(KeptCertificates{
        .serving = std::move(made->serving), .authorities_pem = made->authority_pem, .next = {}});
  }
  return std::optional(
      KeptCertificates{.serving = kept.serving,
                       .authorities_pem = AuthoritiesOf(kept, options, now) + made->authority_pem,
                       .next = std::move(made->serving)});
}

}  // namespace gs::certificates
