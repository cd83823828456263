// LoginSource: who we are at this moment. Tokens are replaced while a program runs, so nobody may
// keep what it gives for longer than one request.
//
// Time comes in as an argument. For one thread; whoever shares one guards it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/kube/login/connection_settings.h"
#include "adapters/kube/login/exec_credential.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/run_process.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::kube {

// Either may be empty.
struct Login {
  std::string token;
  std::string client_certificate_pem;
  std::string client_key_pem;

  friend bool operator==(const Login&, const Login&) = default;
};

class LoginSource {
 public:
  virtual ~LoginSource() = default;
  [[nodiscard]] virtual Result<Login> At(TimePoint now) = 0;
  // The API server answered 401: what was given last is worth nothing any more.
  virtual void Forget() {}
};

// The same for ever: a certificate, a token, both or nothing.
class FixedLogin : public LoginSource {
 public:
  explicit FixedLogin(Login login) : login_(std::move(login)) {}
  Result<Login> At(TimePoint now) override;

 private:
  Login login_;
};

// A token in a file, read again once it is a minute old. While the file cannot be read, the last
// token is given out: it may well still be good.
class TokenFileLogin : public LoginSource {
 public:
  TokenFileLogin(Login base, std::filesystem::path path, FileReader read);
  Result<Login> At(TimePoint now) override;
  void Forget() override { read_at_.reset(); }

 private:
  Login base_;
  std::filesystem::path path_;
  FileReader read_;
  std::optional<TimePoint> read_at_;
};

// A program's answer, kept until it expires.
class ExecLogin : public LoginSource {
 public:
  ExecLogin(const ConnectionSettings& settings, ExecPlugin plugin, ProcessRunner run);
  Result<Login> At(TimePoint now) override;
  void Forget() override { answer_.reset(); }

 private:
  Login base_;
  ExecPlugin plugin_;
  ExecCluster cluster_;
  ProcessRunner run_;
  std::optional<ExecAnswer> answer_;
};

[[nodiscard]] std::unique_ptr<LoginSource> MakeLoginSource(const ConnectionSettings& settings,
                                                           FileReader read, ProcessRunner run);

}  // namespace gs::kube
