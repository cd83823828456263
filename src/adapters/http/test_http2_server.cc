#include "adapters/http/test_http2_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

#include "base/check.h"

namespace gs::http {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio Memory(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

void UseCredentials(SSL_CTX* context, const TlsCredentials& credentials) {
  X509* certificate =
      PEM_read_bio_X509(Memory(credentials.certificate_pem).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key =
      PEM_read_bio_PrivateKey(Memory(credentials.key_pem).get(), nullptr, nullptr, nullptr);
  GS_CHECK(SSL_CTX_use_certificate(context, certificate) == 1);
  GS_CHECK(SSL_CTX_use_PrivateKey(context, key) == 1);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

// Takes "h2" if the client has offered it.
int SelectHttp2(SSL* /*session*/, const unsigned char** chosen, unsigned char* size,
                const unsigned char* offered, unsigned int offered_size, void* /*none*/) {
  static constexpr unsigned char kHttp2[] = "\x02h2";  // what is chosen lies in it
  unsigned char* name = nullptr;
  if (SSL_select_next_proto(&name, size, kHttp2, 3, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = name;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

struct Http2Link::Tls {
  Tls(RawSocket given, SSL_CTX* context) : socket(std::move(given)), session(SSL_new(context)) {
    constexpr int kYes = 1;  // else small answers wait for a moment
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
    SSL_set_fd(session, socket.descriptor());
  }
  ~Tls() { SSL_free(session); }
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  Tls(Tls&&) = delete;
  Tls& operator=(Tls&&) = delete;

  RawSocket socket;
  SSL* session;
};

Http2Link::Http2Link(std::unique_ptr<Tls> tls, std::uint32_t max_streams)
    : tls_(std::move(tls)), peer_(max_streams) {}
Http2Link::~Http2Link() = default;

bool Http2Link::speaks_http2() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(tls_->session, &name, &size);
  return size == 2;
}

bool Http2Link::Read(std::string& bytes) {
  std::array<char, 16384> piece{};
  const int n = SSL_read(tls_->session, piece.data(), static_cast<int>(piece.size()));
  if (n > 0) bytes.append(piece.data(), static_cast<std::size_t>(n));
  return n > 0;
}

void Http2Link::Write(std::string_view bytes) {
  // The client may have gone, which some tests want.
  if (!bytes.empty()) (void)SSL_write(tls_->session, bytes.data(), static_cast<int>(bytes.size()));
}

std::string Http2Link::ReadUntil(std::string_view end) {
  while (buffer_.find(end) == std::string::npos) {
    if (!Read(buffer_)) return std::exchange(buffer_, "");
  }
  const std::size_t size = buffer_.find(end) + end.size();
  std::string read = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return read;
}

bool Http2Link::ReceiveMore() {
  Flush();
  std::string bytes;
  return Read(bytes) && peer_.Receive(bytes);
}

std::optional<SeenRequest> Http2Link::Next() {
  while (true) {
    if (auto request = peer_.Next()) return request;
    if (!ReceiveMore()) return std::nullopt;
  }
}

std::vector<SeenRequest> Http2Link::Next(std::size_t count) {
  std::vector<SeenRequest> requests;
  while (requests.size() < count) {
    auto request = Next();
    if (!request) break;
    requests.push_back(*std::move(request));
  }
  return requests;
}

std::optional<std::pair<StreamId, std::uint32_t>> Http2Link::NextReset() {
  while (peer_.resets().size() == resets_taken_) {
    if (!ReceiveMore()) return std::nullopt;
  }
  return peer_.resets().at(resets_taken_++);
}

void Http2Link::RoundTrip() {
  const int before = peer_.pongs();
  peer_.Ping();
  while (peer_.pongs() == before && ReceiveMore()) continue;
}

void Http2Link::AwaitEnd() {
  while (ReceiveMore()) continue;
}

void Http2Link::Answer(StreamId stream, int status, std::string body, const Headers& headers) {
  peer_.Answer(stream, status, std::move(body), headers);
  Flush();
}

void Http2Link::Flush() { Write(peer_.Collect()); }

void Http2Link::Close() { tls_->socket.Close(); }

struct Http2Server::State {
  void Serve(RawSocket socket, int connection) {
    auto tls = std::make_unique<Http2Link::Tls>(
        std::move(socket), !options.is_http2 || options.is_http2(connection) ? http2 : http1);
    if (SSL_accept(tls->session) != 1) return;
    ++connections;
    Http2Link link(std::move(tls), options.max_streams);
    script(link, connection);
  }

  Script script;
  Options options;
  SSL_CTX* http1 = SSL_CTX_new(TLS_server_method());
  SSL_CTX* http2 = SSL_CTX_new(TLS_server_method());
  std::atomic<int> connections = 0;
  std::vector<std::jthread> threads;  // only of the thread that accepts, and of the destructor
  std::unique_ptr<RawServer> listener;
};

Http2Server::Http2Server(const TlsCredentials& credentials, Script script, Options options)
    : state_(std::make_unique<State>()) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that has gone is no reason to end
  state_->script = std::move(script);
  state_->options = std::move(options);
  UseCredentials(state_->http1, credentials);
  UseCredentials(state_->http2, credentials);
  SSL_CTX_set_alpn_select_cb(state_->http2, SelectHttp2, nullptr);
  state_->listener = std::make_unique<RawServer>([state = state_.get()](RawSocket socket, int n) {
    state->threads.emplace_back([state, n, given = std::make_shared<RawSocket>(std::move(socket))] {
      state->Serve(std::move(*given), n);
    });
  });
}

Http2Server::~Http2Server() {
  state_->listener.reset();
  state_->threads.clear();
  SSL_CTX_free(state_->http1);
  SSL_CTX_free(state_->http2);
}

std::uint16_t Http2Server::port() const { return state_->listener->port(); }
int Http2Server::connections() const { return state_->connections; }

}  // namespace gs::http
