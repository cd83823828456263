// Authority: a certificate authority of our own, and the certificates it signs, for servers and
// clients of a cluster. Keys are ECDSA on P-256. Everything is PEM text in memory; files are
// others' business.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gs::certificates {

struct CertificateWish {
  std::string name;                             // the common name: for a client its user name
  std::vector<std::string> organizations = {};  // for a client its groups
  std::string alternative = {};                 // "DNS:localhost,IP:127.0.0.1"; required of servers
  int valid_from_days = -1;
  int valid_until_days = 1;
  int valid_until_seconds = 0;                  // more than the days
  std::optional<TimePoint> now = std::nullopt;  // that the days are counted from; else the clock's
};

struct Certificate {
  std::string certificate_pem;
  std::string key_pem;

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

class Authority {
 public:
  // A new one.
  [[nodiscard]] static Result<Authority> Create(const std::string& name, int valid_days);
  // Of the wish, only the name and the times count.
  [[nodiscard]] static Result<Authority> Create(const CertificateWish& wish);
  // One that exists already. Refused unless the two belong together.
  [[nodiscard]] static Result<Authority> Load(const std::string& certificate_pem,
                                              const std::string& key_pem);
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  Authority(Authority&& other) noexcept;
  Authority& operator=(Authority&& other) noexcept;

  [[nodiscard]] Result<Certificate> Issue(const CertificateWish& wish) const;
  [[nodiscard]] const Certificate& own() const { return own_; }

 private:
  struct Keys;
  explicit Authority(std::unique_ptr<Keys> keys);

  std::unique_ptr<Keys> keys_;
  Certificate own_;
};

}  // namespace gs::certificates
