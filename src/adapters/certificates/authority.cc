#include "adapters/certificates/authority.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <chrono>
#include <ctime>

#include "adapters/certificates/openssl_pointers.h"

namespace gs::certificates {
namespace {

Error Failure(std::string what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return Error(ErrorKind::kInternal, reason == nullptr ? "OpenSSL refused" : reason)
      .Within(std::move(what));
}

std::string Pem(EVP_PKEY* key) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return {};
  }
  return TextOf(memory.get());
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Random, so that two authorities of the same name never sign the same number.
bool SetSerial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] = static_cast<unsigned char>(bytes[0] & 0x7fU);
  BIGNUM* number = BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
  const bool is_set = BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return is_set;
}

bool AddName(X509* certificate, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), field, MBSTRING_UTF8, bytes,
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

Paper Draft(const CertificateWish& wish, EVP_PKEY* key) {
  Paper made(X509_new());
  if (!made || !SetSerial(made.get())) return nullptr;
  X509_set_version(made.get(), 2);
  std::time_t now = wish.now ? std::chrono::system_clock::to_time_t(
                                   std::chrono::time_point_cast<std::chrono::seconds>(*wish.now))
                             : std::time(nullptr);
  X509_time_adj_ex(X509_getm_notBefore(made.get()), wish.valid_from_days, 0, &now);
  X509_time_adj_ex(X509_getm_notAfter(made.get()), wish.valid_until_days, wish.valid_until_seconds,
                   &now);
  for (const auto& organization : wish.organizations) {
    if (!AddName(made.get(), "O", organization)) return nullptr;
  }
  if (!AddName(made.get(), "CN", wish.name)) return nullptr;
  X509_set_pubkey(made.get(), key);
  return made;
}

Key MakeKey() { return Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")); }

}  // namespace

struct Authority::Keys {
  Key key;
  Paper certificate;
};

Authority::Authority(std::unique_ptr<Keys> keys)
    : keys_(std::move(keys)),
      own_{.certificate_pem = Pem(keys_->certificate.get()), .key_pem = Pem(keys_->key.get())} {}
Authority::~Authority() = default;
Authority::Authority(Authority&& other) noexcept = default;
Authority& Authority::operator=(Authority&& other) noexcept = default;

Result<Authority> Authority::Create(const std::string& name, int valid_days) {
  return Create({.name = name, .valid_until_days = valid_days});
}

Result<Authority> Authority::Create(const CertificateWish& wish) {
  auto keys = std::make_unique<Keys>();
  keys->key = MakeKey();
  if (!keys->key) return Failure("the key of an authority");
  keys->certificate = Draft(wish, keys->key.get());
  X509* self = keys->certificate.get();
  if (self == nullptr) return Failure("the certificate of an authority");
  X509_set_issuer_name(self, X509_get_subject_name(self));
  const bool is_made = AddExtension(self, self, NID_basic_constraints, "critical,CA:TRUE") &&
                       AddExtension(self, self, NID_subject_key_identifier, "hash") &&
                       X509_sign(self, keys->key.get(), EVP_sha256()) > 0;
  if (!is_made) return Failure("the certificate of an authority");
  return Authority(std::move(keys));
}

Result<Authority> Authority::Load(const std::string& certificate_pem, const std::string& key_pem) {
  auto keys = std::make_unique<Keys>();
  keys->certificate = ReadCertificate(Reading(certificate_pem).get());
  keys->key = ReadKey(Reading(key_pem).get());
  const bool is_pair = keys->certificate && keys->key &&
                       X509_check_private_key(keys->certificate.get(), keys->key.get()) == 1;
  ERR_clear_error();
  if (!is_pair) {
    return Error(ErrorKind::kInvalid,
                 "the certificate and the key of the authority do not belong "
                 "together")
        .Advise("give PEM text of both");
  }
  return Authority(std::move(keys));
}

Result<Certificate> Authority::Issue(const CertificateWish& wish) const {
  const Key key = MakeKey();
  if (!key) return Failure("a key");
  const Paper made = Draft(wish, key.get());
  if (!made) return Failure("a certificate");
  X509* issuer = keys_->certificate.get();
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  if (!wish.alternative.empty() &&
      !AddExtension(made.get(), issuer, NID_subject_alt_name, wish.alternative)) {
    return Failure("the names '" + wish.alternative + "' of a certificate");
  }
  // So that of several authorities with one name the right one is found.
  if (X509_get0_subject_key_id(issuer) != nullptr &&
      !AddExtension(made.get(), issuer, NID_authority_key_identifier, "keyid")) {
    return Failure("the authority of a certificate");
  }
  if (X509_sign(made.get(), keys_->key.get(), EVP_sha256()) <= 0) return Failure("a signature");
  return Certificate{.certificate_pem = Pem(made.get()), .key_pem = Pem(key.get())};
}

}  // namespace gs::certificates
