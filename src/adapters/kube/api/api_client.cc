#include "adapters/kube/api/api_client.h"

#include <utility>
#include <variant>

#include "adapters/runtime/mutex.h"

namespace gs::kube {
namespace {

using runtime::MutexLock;

constexpr int kUnauthorized = 401;

// A page of a list has thousands of objects.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

http::ClientTls TlsOf(const ConnectionSettings& settings) {
  return {
      .credentials = {.certificate_pem = settings.client_certificate_pem,
                      .key_pem = settings.client_key_pem,
                      .ca_pem = settings.ca_pem},
      .server_name = settings.tls_server_name,
      .check = settings.is_server_verified ? http::ServerCheck::kVerify : http::ServerCheck::kSkip};
}

// What is put before every path: a server may be behind a path of its own.
std::string PrefixOf(const http::Url& url) {
  return url.target == "/" ? std::string() : url.target;
}

}  // namespace

class ApiClient::State {
 public:
  State(std::unique_ptr<http::Client> client, std::string prefix, http::TlsCredentials credentials,
        std::unique_ptr<LoginSource> login, const runtime::Clock& clock, std::string user_agent)
      : client_(std::move(client)),
        prefix_(std::move(prefix)),
        user_agent_(std::move(user_agent)),
        clock_(clock),
        login_(std::move(login)),
        credentials_(std::move(credentials)) {}

  [[nodiscard]] http::Client& client() { return *client_; }

  // Makes the request one of ours.
  [[nodiscard]] Result<void> Sign(http::Request& request) GS_EXCLUDES(mutex_) {
    auto login = LoginNow();
    if (!login) return std::move(login).error().Within("login to the API server");
    request.target.insert(0, prefix_);
    request.headers.Add("User-Agent", user_agent_);
    if (request.headers.Find("Accept") == nullptr) {
      request.headers.Add("Accept", "application/json");
    }
    if (!login->token.empty()) request.headers.Add("Authorization", "Bearer " + login->token);
    return {};
  }

  void Note(const http::Outcome& outcome) GS_EXCLUDES(mutex_) {
    const auto* response = std::get_if<http::Response>(&outcome);
    if (response == nullptr || response->status != kUnauthorized) return;
    const MutexLock lock(mutex_);
    login_->Forget();
  }

 private:
  [[nodiscard]] Result<Login> LoginNow() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    auto login = login_->At(clock_.WallTime());
    if (!login) return login;
    if (auto used = UseCertificate(*login); !used) return std::move(used).error();
    return login;
  }

  // Connections are made anew when a login brings another certificate.
  [[nodiscard]] Result<void> UseCertificate(const Login& login) GS_REQUIRES(mutex_) {
    if (login.client_certificate_pem == credentials_.certificate_pem &&
        login.client_key_pem == credentials_.key_pem) {
      return {};
    }
    http::TlsCredentials changed = credentials_;
    changed.certificate_pem = login.client_certificate_pem;
    changed.key_pem = login.client_key_pem;
    if (auto used = client_->UseCredentials(changed); !used) return used;
    credentials_ = std::move(changed);
    return {};
  }

  const std::unique_ptr<http::Client> client_;
  const std::string prefix_;
  const std::string user_agent_;
  const runtime::Clock& clock_;

  runtime::Mutex mutex_;
  std::unique_ptr<LoginSource> login_ GS_GUARDED_BY(mutex_);
  http::TlsCredentials credentials_ GS_GUARDED_BY(mutex_);
};

Result<std::unique_ptr<ApiClient>> ApiClient::Create(runtime::IoThreads& threads,
                                                     const ConnectionSettings& settings,
                                                     std::unique_ptr<LoginSource> login,
                                                     const runtime::Clock& clock,
                                                     ApiOptions options) {
  auto url = http::ParseUrl(settings.server);
  if (!url) return std::move(url).error().Within("server");
  const http::ClientTls tls = TlsOf(settings);
  std::string prefix = PrefixOf(*url);
  auto client = http::Client::Create(threads, *std::move(url),
                                     {.tls = tls,
                                      .limits = {.max_body_bytes = kMostBytes},
                                      .max_running = options.max_running,
                                      .hooks = std::move(options.hooks)});
  if (!client) return std::move(client).error().Within(settings.server);
  return std::unique_ptr<ApiClient>(new ApiClient(
      std::make_shared<State>(*std::move(client), std::move(prefix), tls.credentials,
                              std::move(login), clock, std::move(options.user_agent))));
}

ApiClient::ApiClient(std::shared_ptr<State> state) : state_(std::move(state)) {}
ApiClient::~ApiClient() = default;

http::Outcome ApiClient::Send(http::Request request, http::SendOptions options) {
  if (auto ours = state_->Sign(request); !ours) return http::NotSent{std::move(ours).error()};
  http::Outcome outcome = state_->client().SendAndWait(std::move(request), std::move(options));
  state_->Note(outcome);
  return outcome;
}

http::Outcome ApiClient::Stream(http::Request request, http::StreamOptions options,
                                const http::OnChunk& on_chunk) {
  if (auto ours = state_->Sign(request); !ours) return http::NotSent{std::move(ours).error()};
  http::Outcome outcome =
      state_->client().StreamAndWait(std::move(request), std::move(options), on_chunk);
  state_->Note(outcome);
  return outcome;
}

void ApiClient::SendThen(http::Request request, http::SendOptions options,
                         std::function<void(http::Outcome)> then) {
  if (auto ours = state_->Sign(request); !ours) {
    then(http::NotSent{std::move(ours).error()});
    return;
  }
  // Weakly: a request that is running must not keep the client, which it would have to destroy.
  state_->client().SendThen(
      std::move(request), std::move(options),
      [weak = std::weak_ptr(state_), then = std::move(then)](http::Outcome outcome) {
        if (const auto state = weak.lock()) state->Note(outcome);
        then(std::move(outcome));
      });
}

}  // namespace gs::kube
