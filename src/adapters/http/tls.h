// What TLS needs, as text in memory: who we are, whom we trust. Files and secrets are read by
// others.
#pragma once

#include <cstdint>
#include <string>

namespace gs::http {

struct TlsCredentials {
  std::string certificate_pem;  // our certificate, then those between it and the authority
  std::string key_pem;
  std::string
      ca_pem;  // the authorities that may vouch for the peer; a client without: the system's
};

enum class ServerCheck : std::uint8_t {
  kVerify,
  kSkip,  // anybody may answer: for tests and for a cluster whose authority is not known yet
};

struct ClientTls {
  TlsCredentials credentials;
  std::string server_name;  // asked for and verified; empty: the host of the URL
  ServerCheck check = ServerCheck::kVerify;
};

enum class ClientCheck : std::uint8_t {
  kNone,
  kIfGiven,  // a certificate is asked for, and must be good if there is one
  kRequired,
};

struct ServerTls {
  TlsCredentials credentials;
  ClientCheck check = ClientCheck::kNone;
};

}  // namespace gs::http
