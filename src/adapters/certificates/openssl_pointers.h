// What OpenSSL gives out, owned. Inside this folder only.
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.h"

namespace gs::certificates {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
};
using Paper = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Memory = std::unique_ptr<BIO, Free>;

// Refers to the text. What follows a certificate is read by reading on.
inline Memory Reading(const std::string& pem) {
  return Memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}
inline Paper ReadCertificate(BIO* from) {
  return Paper(PEM_read_bio_X509(from, nullptr, nullptr, nullptr));
}
inline Key ReadKey(BIO* from) {
  return Key(PEM_read_bio_PrivateKey(from, nullptr, nullptr, nullptr));
}

inline std::string TextOf(BIO* memory) {
  char* text = nullptr;
  const long size = BIO_ctrl(memory, BIO_CTRL_INFO, 0, &text);
  return {text, static_cast<std::size_t>(size)};
}

inline std::string Pem(X509* certificate) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(memory.get(), certificate) != 1) return {};
  return TextOf(memory.get());
}

}  // namespace gs::certificates
