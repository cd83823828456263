// The TLS half of transport.h, apart from it because OpenSSL's headers are slow to compile.
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "adapters/http/transport.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;

constexpr std::size_t kReadBytes = std::size_t{16} << 10;

std::vector<std::string> NamesOf(const X509* certificate, int field) {
  std::vector<std::string> names;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, field, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, field, at)) {
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, text);
    if (size < 0) continue;
    names.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);  // NOLINT: the macro of the library
  }
  return names;
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(tcp::socket socket, TlsContext context, ssl::stream_base::handshake_type side)
      : Transport(std::move(socket)),
        context_(std::move(context)),
        stream_(Transport::socket(), *context_),
        side_(side) {}

  // Names go into SNI; addresses must not. Both are compared with the certificate.
  void Expect(std::string server_name) {
    server_name_ = std::move(server_name);
    error_code not_an_address;
    asio::ip::make_address(server_name_, not_an_address);
    X509_VERIFY_PARAM* rules = SSL_get0_param(stream_.native_handle());
    if (!not_an_address) {
      X509_VERIFY_PARAM_set1_ip_asc(rules, server_name_.c_str());
      return;
    }
    X509_VERIFY_PARAM_set1_host(rules, server_name_.c_str(), server_name_.size());
    // The macro of the library casts in the old style.
    SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             server_name_.data());
  }

  void OfferHttp2() {
    constexpr unsigned char kNames[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(stream_.native_handle(), kNames, sizeof kNames - 1);
  }

  asio::awaitable<std::string> Handshake() override {
    error_code ec;
    co_await stream_.async_handshake(side_, asio::redirect_error(asio::use_awaitable, ec));
    co_return ec ? Describe(ec) : "";
  }

  [[nodiscard]] Peer peer() const override {
    SSL* session = const_cast<TlsTransport*>(this)->stream_.native_handle();  // NOLINT: only read
    const X509* certificate = SSL_get0_peer_certificate(session);
    if (certificate == nullptr || SSL_get_verify_result(session) != X509_V_OK) return {};
    auto names = NamesOf(certificate, NID_commonName);
    return {.name = names.empty() ? std::string() : std::move(names.back()),
            .groups = NamesOf(certificate, NID_organizationName)};
  }

  asio::awaitable<error_code> ReadSome(std::string& buffer) override {
    const std::size_t before = buffer.size();
    buffer.resize(before + kReadBytes);
    error_code ec;
    const std::size_t n =
        co_await stream_.async_read_some(asio::buffer(buffer.data() + before, kReadBytes),
                                         asio::redirect_error(asio::use_awaitable, ec));
    buffer.resize(before + n);
    co_return ec;
  }

  asio::awaitable<Written> Write(std::string_view bytes) override {
    // How much of an encrypted record left before an error cannot be known.
    Written written{.may_have_left = true};
    co_await asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                               asio::redirect_error(asio::use_awaitable, written.error));
    co_return written;
  }

  void ReadSomeThen(std::span<char> room, OnRead then) override {
    stream_.async_read_some(asio::buffer(room.data(), room.size()), std::move(then));
  }

  void WriteThen(std::string_view bytes, OnWritten then) override {
    asio::async_write(
        stream_, asio::buffer(bytes.data(), bytes.size()),
        [then = std::move(then)](const error_code& ec, std::size_t /*size*/) { then(ec); });
  }

  [[nodiscard]] bool speaks_http2() const override {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL* session = const_cast<TlsTransport*>(this)->stream_.native_handle();  // NOLINT: only read
    SSL_get0_alpn_selected(session, &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
  }

 protected:
  asio::awaitable<void> SayGoodbye() override {
    // The library would go on to wait for the peer's goodbye; ours is all that matters here.
    SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);
    error_code ignored;
    co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
  }

 private:
  std::string Describe(const error_code& ec) {
    const long verdict = SSL_get_verify_result(stream_.native_handle());
    if (verdict == X509_V_OK || side_ == ssl::stream_base::server) return ec.message();
    std::string reason = X509_verify_cert_error_string(verdict);
    return "the certificate of " + server_name_ + " is refused: " + reason;
  }

  const TlsContext context_;
  ssl::stream<tcp::socket&> stream_;
  const ssl::stream_base::handshake_type side_;
  std::string server_name_;
};

}  // namespace

std::shared_ptr<Transport> MakeTlsClient(tcp::socket socket, TlsContext context,
                                         std::string server_name, Offer offer) {
  auto transport = std::make_shared<TlsTransport>(std::move(socket), std::move(context),
                                                  ssl::stream_base::client);
  transport->Expect(std::move(server_name));
  if (offer == Offer::kHttp2OrHttp1) transport->OfferHttp2();
  return transport;
}

std::shared_ptr<Transport> MakeTlsServer(tcp::socket socket, TlsContext context) {
  return std::make_shared<TlsTransport>(std::move(socket), std::move(context),
                                        ssl::stream_base::server);
}

}  // namespace gs::http
