// Client and server against each other over TLS: who is believed, who is refused and why, and what
// happens when certificates are replaced.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "adapters/http/client.h"
#include "adapters/http/server.h"
#include "adapters/http/test_certificates.h"
#include "adapters/http/test_peer.h"

namespace gs::http {
namespace {

namespace asio = boost::asio;

constexpr const char* kLocal = "DNS:localhost,IP:127.0.0.1";

asio::awaitable<Reply> Ok(Request) { co_return Response{.body = "ok"}; }

class TlsTest : public testing::Test {
 protected:
  std::unique_ptr<Server> Start(TlsCredentials credentials,
                                ClientCheck check = ClientCheck::kNone) {
    ServerTls tls{.credentials = std::move(credentials), .check = check};
    return *Server::Start(threads_, {.tls = std::move(tls)}, Ok);
  }
  std::unique_ptr<Client> ClientOf(const Server& server, ClientTls tls,
                                   const std::string& host = "127.0.0.1") {
    const Url url{.is_tls = true, .host = host, .port = server.port()};
    return *Client::Create(threads_, url, {.tls = std::move(tls)});
  }
  [[nodiscard]] TlsCredentials Trusting() const { return {.ca_pem = authority_.pem()}; }
  [[nodiscard]] TlsCredentials ForServer() const {
    return authority_.Issue({.name = "server", .alternative = kLocal});
  }

  runtime::IoThreads threads_{2};
  TestAuthority authority_{"authority"};
};

std::string Result(const Outcome& outcome) {
  const Error* error = ErrorOf(outcome);
  if (error == nullptr) return std::get<Response>(outcome).body;
  return (std::holds_alternative<NotSent>(outcome) ? "not sent: " : "unknown: ") + ToString(*error);
}

testing::AssertionResult Says(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text;
}

TEST_F(TlsTest, ATrustedServerIsBelievedByAddressAndByName) {
  const auto server = Start(ForServer());
  EXPECT_EQ(Result(ClientOf(*server, {.credentials = Trusting()})->SendAndWait({})), "ok");
  EXPECT_EQ(Result(ClientOf(*server, {.credentials = Trusting()}, "localhost")->SendAndWait({})),
            "ok");
  const auto named = ClientOf(*server, {.credentials = Trusting(), .server_name = "localhost"});
  EXPECT_EQ(Result(named->SendAndWait({})), "ok");
}

TEST_F(TlsTest, AServerOfAnotherAuthorityIsRefused) {
  const TestAuthority other("other");
  const auto server = Start(ForServer());
  const auto client = ClientOf(*server, {.credentials = {.ca_pem = other.pem()}});
  const std::string result = Result(client->SendAndWait({.method = Method::kPost}));
  EXPECT_TRUE(result.starts_with("not sent: cannot connect to 127.0.0.1:"));
  EXPECT_TRUE(Says(result, "the certificate of 127.0.0.1 is refused: "));
  EXPECT_TRUE(Says(result, "unable to get local issuer certificate"));
}

TEST_F(TlsTest, AnExpiredCertificateIsRefused) {
  const auto server = Start(authority_.Issue(
      {.name = "server", .alternative = kLocal, .valid_from_days = -2, .valid_until_days = -1}));
  const auto client = ClientOf(*server, {.credentials = Trusting()});
  EXPECT_TRUE(Says(Result(client->SendAndWait({})), "certificate has expired"));
}

TEST_F(TlsTest, ACertificateForAnotherNameIsRefused) {
  const auto server = Start(authority_.Issue({.name = "x", .alternative = "DNS:elsewhere"}));
  EXPECT_TRUE(Says(Result(ClientOf(*server, {.credentials = Trusting()})->SendAndWait({})),
                   "IP address mismatch"));
  const auto named = ClientOf(*server, {.credentials = Trusting(), .server_name = "localhost"});
  EXPECT_TRUE(Says(Result(named->SendAndWait({})), "hostname mismatch"));
  const auto right = ClientOf(*server, {.credentials = Trusting(), .server_name = "elsewhere"});
  EXPECT_EQ(Result(right->SendAndWait({})), "ok");
}

TEST_F(TlsTest, VerificationCanBeSkipped) {
  const auto server = Start(authority_.Issue({.name = "x", .alternative = "DNS:elsewhere"}));
  const auto client = ClientOf(*server, {.check = ServerCheck::kSkip});
  EXPECT_EQ(Result(client->SendAndWait({})), "ok");
}

TEST_F(TlsTest, AServerCanDemandACertificate) {
  const auto server = Start(ForServer(), ClientCheck::kRequired);
  const auto known = authority_.Issue({.name = "client", .alternative = ""});
  EXPECT_EQ(Result(ClientOf(*server, {.credentials = known})->SendAndWait({})), "ok");

  const auto nobody = ClientOf(*server, {.credentials = Trusting()});
  EXPECT_TRUE(Says(Result(nobody->SendAndWait({})), "certificate required"));

  auto stranger = TestAuthority("other").Issue({.name = "client", .alternative = ""});
  stranger.ca_pem = authority_.pem();
  EXPECT_FALSE(Result(ClientOf(*server, {.credentials = stranger})->SendAndWait({})) == "ok");
}

TEST_F(TlsTest, AServerCanTakeACertificateIfThereIsOne) {
  const auto server = Start(ForServer(), ClientCheck::kIfGiven);
  EXPECT_EQ(Result(ClientOf(*server, {.credentials = Trusting()})->SendAndWait({})), "ok");
}

TEST_F(TlsTest, ANewServerCertificateReachesNewConnectionsOnly) {
  const TestAuthority other("other");
  const auto server = Start(ForServer());
  const auto old_client = ClientOf(*server, {.credentials = Trusting()});
  const auto new_client = ClientOf(*server, {.credentials = {.ca_pem = other.pem()}});
  EXPECT_EQ(Result(old_client->SendAndWait({})), "ok");
  EXPECT_TRUE(server->UseCredentials(other.Issue({.name = "server", .alternative = kLocal})).ok());
  EXPECT_EQ(Result(old_client->SendAndWait({})), "ok");  // on the connection it has
  EXPECT_EQ(Result(new_client->SendAndWait({})), "ok");
}

TEST_F(TlsTest, NewClientCredentialsAreUsedFromNowOn) {
  const TestAuthority other("other");
  const auto server = Start(ForServer());
  const auto client = ClientOf(*server, {.credentials = Trusting()});
  EXPECT_EQ(Result(client->SendAndWait({})), "ok");
  EXPECT_TRUE(client->UseCredentials({.ca_pem = other.pem()}).ok());
  EXPECT_TRUE(Says(Result(client->SendAndWait({})), "is refused"));
  EXPECT_TRUE(client->UseCredentials(Trusting()).ok());
  EXPECT_EQ(Result(client->SendAndWait({})), "ok");
}

TEST_F(TlsTest, CredentialsThatCannotBeUsedAreRefusedAndChangeNothing) {
  const auto server = Start(ForServer());
  const auto client = ClientOf(*server, {.credentials = Trusting()});
  EXPECT_FALSE(client->UseCredentials({.ca_pem = "no PEM"}).ok());
  TlsCredentials mixed = ForServer();
  mixed.key_pem = ForServer().key_pem;
  const auto refused = server->UseCredentials(mixed);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(Says(ToString(refused.error()), "key: cannot use it"));
  EXPECT_FALSE(Server::Start(threads_, {.tls = ServerTls{}}, Ok).ok());
  const ServerTls blind{
      .credentials = {.certificate_pem = mixed.certificate_pem, .key_pem = mixed.key_pem},
      .check = ClientCheck::kRequired};
  EXPECT_FALSE(Server::Start(threads_, {.tls = blind}, Ok).ok());
  EXPECT_EQ(Result(client->SendAndWait({})), "ok");
}

TEST_F(TlsTest, AServerThatSpeaksNoTlsIsNotSent) {
  RawServer server([](RawSocket socket, int) { socket.Write("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const Url url{.is_tls = true, .host = "127.0.0.1", .port = server.port()};
  const auto client = *Client::Create(threads_, url, {});
  EXPECT_TRUE(Result(client->SendAndWait({.method = Method::kPost})).starts_with("not sent: "));
}

TEST_F(TlsTest, AClientThatSpeaksNoTlsIsClosed) {
  const auto server = Start(ForServer());
  RawSocket socket = RawSocket::Connect(server->port());
  socket.Write("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(socket.ReadAll().find("HTTP/1.1 200"), std::string::npos);
  EXPECT_EQ(Result(ClientOf(*server, {.credentials = Trusting()})->SendAndWait({})), "ok");
}

}  // namespace
}  // namespace gs::http
