#include "adapters/certificates/inspect.h"

#include <ctime>

#include "adapters/certificates/openssl_pointers.h"

namespace gs::certificates {
namespace {

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};

Error Refuse(std::string what, std::string advice) {
  ERR_clear_error();
  return Error(ErrorKind::kInvalid, std::move(what)).Advise(std::move(advice));
}

Result<TimePoint> TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return Refuse("has no readable time", "make it again");
  return TimePoint(std::chrono::seconds(timegm(&parts)));
}

Result<Validity> ValidityOfPaper(X509* certificate) {
  const auto from = TimeOf(X509_get0_notBefore(certificate));
  if (!from) return from.error();
  const auto until = TimeOf(X509_get0_notAfter(certificate));
  if (!until) return until.error();
  return Validity{*from, *until};
}

std::vector<Paper> ReadAll(const std::string& pem) {
  std::vector<Paper> all;
  const Memory text = Reading(pem);
  while (Paper next = ReadCertificate(text.get())) all.push_back(std::move(next));
  ERR_clear_error();
  return all;
}

Result<void> CheckTime(X509* certificate, TimePoint now) {
  const auto validity = ValidityOfPaper(certificate);
  if (!validity) return validity.error();
  if (now > validity->until) {
    return Refuse("has expired on " + PrintTime(validity->until), "renew it");
  }
  if (now < validity->from) {
    return Refuse("is valid from " + PrintTime(validity->from) + " on", "check the clocks");
  }
  return {};
}

Result<void> CheckVouched(const std::vector<Paper>& chain, const std::string& authorities_pem,
                          TimePoint now) {
  const std::unique_ptr<X509_STORE, Free> store(X509_STORE_new());
  for (const auto& authority : ReadAll(authorities_pem)) {
    X509_STORE_add_cert(store.get(), authority.get());
  }
  const std::unique_ptr<STACK_OF(X509), FreeStack> between(sk_X509_new_null());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    X509_up_ref(chain[i].get());
    sk_X509_push(between.get(), chain[i].get());
  }
  const std::unique_ptr<X509_STORE_CTX, Free> context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), store.get(), chain[0].get(), between.get()) != 1) {
    return Refuse("cannot be verified", "give PEM text");
  }
  X509_STORE_CTX_set_time(context.get(), 0,
                          std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  if (X509_verify_cert(context.get()) == 1) return {};
  const int why = X509_STORE_CTX_get_error(context.get());
  return Refuse(
      "no authority of ca.crt vouches for it: " + std::string(X509_verify_cert_error_string(why)),
      "put the certificate of its authority into ca.crt");
}

}  // namespace

Result<Validity> ValidityOf(const std::string& certificate_pem) {
  const Paper certificate = ReadCertificate(Reading(certificate_pem).get());
  if (!certificate) return Refuse("is no certificate", "give PEM text");
  return ValidityOfPaper(certificate.get());
}

std::vector<std::string> SplitBundle(const std::string& bundle_pem) {
  std::vector<std::string> texts;
  for (const auto& certificate : ReadAll(bundle_pem)) texts.push_back(Pem(certificate.get()));
  return texts;
}

Result<void> CheckServing(const Certificate& serving, const std::string& authorities_pem,
                          const std::string& host, TimePoint now) {
  const auto chain = ReadAll(serving.certificate_pem);
  if (chain.empty()) return Refuse("is no certificate", "give PEM text");
  X509* certificate = chain[0].get();
  const Key key = ReadKey(Reading(serving.key_pem).get());
  if (!key || X509_check_private_key(certificate, key.get()) != 1) {
    return Refuse("the key does not belong to the certificate", "give the key it was made with");
  }
  if (!host.empty() && X509_check_host(certificate, host.data(), host.size(), 0, nullptr) != 1) {
    return Refuse("is not for " + host, "make it with that DNS name");
  }
  if (auto timely = CheckTime(certificate, now); !timely) return timely;
  if (authorities_pem.empty()) return {};
  return CheckVouched(chain, authorities_pem, now);
}

}  // namespace gs::certificates
