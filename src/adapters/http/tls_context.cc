#include "adapters/http/tls_context.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <exception>
#include <string>

namespace gs::http {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Error Refuse(const char* what, const error_code& ec) {
  return Error(ErrorKind::kInvalid, "cannot use it: " + ec.message())
      .Advise("give PEM text; the key must belong to the certificate")
      .Within(what);
}

Result<TlsContext> MakeContext(ssl::context::method method) {
  try {
    auto context = std::make_shared<ssl::context>(method);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    return context;
  } catch (const std::exception& problem) {
    return Error(ErrorKind::kInternal, problem.what()).Within("TLS");
  }
}

Result<void> UseCertificate(ssl::context& context, const TlsCredentials& credentials) {
  error_code ec;
  context.use_certificate_chain(boost::asio::buffer(credentials.certificate_pem), ec);
  if (ec) return Refuse("certificate", ec);
  context.use_private_key(boost::asio::buffer(credentials.key_pem), ssl::context::pem, ec);
  if (ec) return Refuse("key", ec);
  return {};
}

Result<void> UseAuthorities(ssl::context& context, const std::string& ca_pem) {
  error_code ec;
  if (ca_pem.empty()) {
    context.set_default_verify_paths(ec);
  } else {
    context.add_certificate_authority(boost::asio::buffer(ca_pem), ec);
  }
  if (ec) return Refuse("certificate authorities", ec);
  return {};
}

ssl::verify_mode ModeOf(ClientCheck check) {
  if (check == ClientCheck::kNone) return ssl::verify_none;
  if (check == ClientCheck::kIfGiven) return ssl::verify_peer;
  return ssl::verify_peer | ssl::verify_fail_if_no_peer_cert;
}

}  // namespace

Result<TlsContext> MakeClientContext(const TlsCredentials& credentials, ServerCheck check) {
  auto context = MakeContext(ssl::context::tls_client);
  if (!context) return context;
  if (!credentials.certificate_pem.empty() || !credentials.key_pem.empty()) {
    auto used = UseCertificate(**context, credentials);
    if (!used) return std::move(used).error();
  }
  auto trusted = UseAuthorities(**context, credentials.ca_pem);
  if (!trusted) return std::move(trusted).error();
  (*context)->set_verify_mode(check == ServerCheck::kVerify ? ssl::verify_peer : ssl::verify_none);
  return context;
}

Result<TlsContext> MakeServerContext(const ServerTls& tls) {
  auto context = MakeContext(ssl::context::tls_server);
  if (!context) return context;
  auto used = UseCertificate(**context, tls.credentials);
  if (!used) return std::move(used).error();
  if (tls.check != ClientCheck::kNone) {
    if (tls.credentials.ca_pem.empty()) {
      // The system's authorities vouch for servers of the whole internet, never for our clients.
      return Error(ErrorKind::kInvalid, "client certificates are to be checked without authorities")
          .Advise("give ca_pem");
    }
    auto trusted = UseAuthorities(**context, tls.credentials.ca_pem);
    if (!trusted) return std::move(trusted).error();
  }
  (*context)->set_verify_mode(ModeOf(tls.check));
  // Clients that resume a session are refused without a name for it.
  constexpr unsigned char kName[] = "gs";
  SSL_CTX_set_session_id_context((*context)->native_handle(), kName, sizeof kName);
  return context;
}

}  // namespace gs::http
