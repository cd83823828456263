#include "adapters/http/test_certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>

#include "base/check.h"

namespace gs::http {
namespace {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Memory = std::unique_ptr<BIO, Free>;

constexpr long kDay = 24L * 3600L;

Key MakeKey() { return Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")); }

std::string TextOf(BIO* memory) {
  char* text = nullptr;
  const long size = BIO_ctrl(memory, BIO_CTRL_INFO, 0, &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string Pem(X509* certificate) {
  const Memory memory(BIO_new(BIO_s_mem()));
  GS_CHECK(PEM_write_bio_X509(memory.get(), certificate) == 1);
  return TextOf(memory.get());
}

std::string Pem(EVP_PKEY* key) {
  const Memory memory(BIO_new(BIO_s_mem()));
  GS_CHECK(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return TextOf(memory.get());
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  GS_CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate MakeCertificate(const CertificateWish& wish, EVP_PKEY* key) {
  static std::atomic<long> serial = 1;
  Certificate made(X509_new());
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), wish.valid_from_days * kDay);
  X509_gmtime_adj(X509_getm_notAfter(made.get()),
                  wish.valid_until_days * kDay + wish.valid_until_seconds);
  const auto* name = reinterpret_cast<const unsigned char*>(wish.name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8, name, -1, -1,
                             0);
  X509_set_pubkey(made.get(), key);
  return made;
}

}  // namespace

struct TestAuthority::State {
  Key key = MakeKey();
  Certificate certificate;
};

TestAuthority::TestAuthority(const std::string& name) : state_(std::make_unique<State>()) {
  state_->certificate = MakeCertificate({.name = name, .alternative = ""}, state_->key.get());
  X509* self = state_->certificate.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  AddExtension(self, self, NID_basic_constraints, "critical,CA:TRUE");
  GS_CHECK(X509_sign(self, state_->key.get(), EVP_sha256()) > 0);
}

TestAuthority::TestAuthority(const std::string& certificate_pem, const std::string& key_pem)
    : state_(std::make_unique<State>()) {
  const Memory certificate(BIO_new_mem_buf(certificate_pem.c_str(), -1));
  const Memory key(BIO_new_mem_buf(key_pem.c_str(), -1));
  state_->certificate.reset(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
  state_->key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
  GS_CHECK(X509_check_private_key(state_->certificate.get(), state_->key.get()) == 1);
}

TestAuthority::~TestAuthority() = default;

std::string TestAuthority::pem() const { return Pem(state_->certificate.get()); }

TlsCredentials TestAuthority::Issue(const CertificateWish& wish) const {
  const Key key = MakeKey();
  const Certificate made = MakeCertificate(wish, key.get());
  X509_set_issuer_name(made.get(), X509_get_subject_name(state_->certificate.get()));
  if (!wish.alternative.empty()) {
    AddExtension(made.get(), state_->certificate.get(), NID_subject_alt_name, wish.alternative);
  }
  GS_CHECK(X509_sign(made.get(), state_->key.get(), EVP_sha256()) > 0);
  return {.certificate_pem = Pem(made.get()), .key_pem = Pem(key.get()), .ca_pem = pem()};
}

}  // namespace gs::http
