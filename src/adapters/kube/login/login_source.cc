#include "adapters/kube/login/login_source.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace gs::kube {
namespace {

constexpr Duration kTokenFileAge = std::chrono::minutes(1);

Login CertificateOf(const ConnectionSettings& settings) {
  return {.token = "",
          .client_certificate_pem = settings.client_certificate_pem,
          .client_key_pem = settings.client_key_pem};
}

Result<std::string> TokenIn(const std::string& text) {
  const std::string_view token = text::Trim(text);
  if (token.empty()) return Error(ErrorKind::kInvalid, "is empty, expected a token");
  if (token.find_first_of("\r\n") == std::string_view::npos) return std::string(token);
  return Error(ErrorKind::kInvalid, "has several lines, expected a token alone");
}

}  // namespace

Result<Login> FixedLogin::At(TimePoint /*now*/) { return login_; }

TokenFileLogin::TokenFileLogin(Login base, std::filesystem::path path, FileReader read)
    : base_(std::move(base)), path_(std::move(path)), read_(std::move(read)) {}

Result<Login> TokenFileLogin::At(TimePoint now) {
  // A clock that was set back counts as old, or the file would not be read for long.
  if (read_at_ && now >= *read_at_ && now - *read_at_ < kTokenFileAge) return base_;
  const auto text = read_(path_);
  auto token = text ? TokenIn(*text).Within(path_.string()) : Result<std::string>(text.error());
  if (token) {
    base_.token = *std::move(token);
    read_at_ = now;
  } else if (base_.token.empty()) {
    return std::move(token).error().Within("token file");
  }
  return base_;
}

ExecLogin::ExecLogin(const ConnectionSettings& settings, ExecPlugin plugin, ProcessRunner run)
    : base_(CertificateOf(settings)),
      plugin_(std::move(plugin)),
      cluster_{.server = settings.server,
               .tls_server_name = settings.tls_server_name,
               .ca_pem = settings.ca_pem,
               .is_server_verified = settings.is_server_verified},
      run_(std::move(run)) {}

Result<Login> ExecLogin::At(TimePoint now) {
  if (!answer_ || (answer_->expires && now >= *answer_->expires)) {
    auto answer = AskExecPlugin(plugin_, cluster_, run_);
    if (!answer) return std::move(answer).error();
    answer_ = *std::move(answer);
  }
  Login login = base_;
  login.token = answer_->token;
  if (!answer_->client_certificate_pem.empty()) {
    login.client_certificate_pem = answer_->client_certificate_pem;
    login.client_key_pem = answer_->client_key_pem;
  }
  return login;
}

std::unique_ptr<LoginSource> MakeLoginSource(const ConnectionSettings& settings, FileReader read,
                                             ProcessRunner run) {
  Login login = CertificateOf(settings);
  if (const auto* file = std::get_if<TokenFile>(&settings.login)) {
    return std::make_unique<TokenFileLogin>(std::move(login), file->path, std::move(read));
  }
  if (const auto* plugin = std::get_if<ExecPlugin>(&settings.login)) {
    return std::make_unique<ExecLogin>(settings, *plugin, std::move(run));
  }
  if (const auto* fixed = std::get_if<FixedToken>(&settings.login)) login.token = fixed->token;
  return std::make_unique<FixedLogin>(std::move(login));
}

}  // namespace gs::kube
