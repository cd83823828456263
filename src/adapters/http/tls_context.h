// TLS settings in the form the library below wants them: built once, shared by connections. Inside
// this folder only.
#pragma once

#include <memory>

#include "adapters/http/tls.h"
#include "base/result.h"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace gs::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// TLS 1.2 and later. Refuses what is no PEM, and a key that does not belong to the certificate.
[[nodiscard]] Result<TlsContext> MakeClientContext(const TlsCredentials& credentials,
                                                   ServerCheck check);
[[nodiscard]] Result<TlsContext> MakeServerContext(const ServerTls& tls);

}  // namespace gs::http
