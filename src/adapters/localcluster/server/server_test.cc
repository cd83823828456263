#include "adapters/localcluster/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "adapters/certificates/authority.h"
#include "adapters/http/client.h"
#include "adapters/localcluster/api/api_for_test.h"

namespace gs::localcluster {
namespace {

using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    const auto serving = authority_.Issue({.name = "server", .alternative = "IP:127.0.0.1"});
    auto started = Server::Start(threads_, cluster_.api,
                                 {.credentials = {.certificate_pem = serving->certificate_pem,
                                                  .key_pem = serving->key_pem,
                                                  .ca_pem = authority_.own().certificate_pem}});
    GS_CHECK(started.ok());
    server_ = *std::move(started);
  }
  ~ServerTest() override {
    server_->Shutdown(Duration(0));
    threads_.Stop();
  }

  std::unique_ptr<http::Client> Connect(bool has_certificate = true) {
    http::TlsCredentials credentials{.ca_pem = authority_.own().certificate_pem};
    if (has_certificate) {
      const auto own = authority_.Issue({.name = "jane", .organizations = {"team"}});
      credentials.certificate_pem = own->certificate_pem;
      credentials.key_pem = own->key_pem;
    }
    http::Url origin{.is_tls = true, .host = "127.0.0.1", .port = server_->port()};
    auto client = http::Client::Create(threads_, origin, {.tls = {.credentials = credentials}});
    GS_CHECK(client.ok());
    return *std::move(client);
  }
  static http::Request Request(http::Method method, std::string target, std::string body = "") {
    return {.method = method,
            .target = std::move(target),
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(body),
            .peer = {}};
  }

  ApiForTest cluster_;
  certificates::Authority authority_ = *certificates::Authority::Create("test", 1);
  runtime::IoThreads threads_{2};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, KnowsClientsByTheirCertificates) {
  const auto client = Connect();
  const auto outcome = client->SendAndWait(
      Request(http::Method::kPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}"));
  const auto* response = std::get_if<http::Response>(&outcome);
  ASSERT_NE(response, nullptr);
  EXPECT_THAT(response->body, HasSubstr(R"("username":"jane")"));
  EXPECT_THAT(response->body, HasSubstr(R"("groups":["team","system:authenticated"])"));
}

TEST_F(ServerTest, RefusesStrangers) {
  const auto client = Connect(false);
  const auto outcome = client->SendAndWait(Request(http::Method::kGet, "/api/v1/pods"));
  EXPECT_EQ(std::get_if<http::Response>(&outcome), nullptr);
}

TEST_F(ServerTest, StreamsLongLists) {
  constexpr int kPodCount = 100;
  for (int i = 0; i < kPodCount; ++i) {
    cluster_.Post(kPods, ApiForTest::Pod("pod-" + std::to_string(i)));
  }
  const auto client = Connect();
  const auto outcome = client->SendAndWait(Request(http::Method::kGet, "/api/v1/pods"));
  const auto* response = std::get_if<http::Response>(&outcome);
  ASSERT_NE(response, nullptr);
  const auto list = boost::json::parse(response->body);
  EXPECT_EQ(list.at("items").as_array().size(), static_cast<std::size_t>(kPodCount));
}

TEST_F(ServerTest, AWatchTellsChangesAsTheyHappen) {
  const auto client = Connect();
  std::jthread writer;
  std::string seen;
  const auto outcome = client->StreamAndWait(
      Request(http::Method::kGet, std::string(kPods) + "?watch=true&resourceVersion=1"),
      {.on_head =
           [&](const http::Response&) {
             writer = std::jthread([&] { cluster_.Post(kPods, ApiForTest::Pod("late")); });
           }},
      [&](std::string_view bytes) {
        seen += bytes;
        return seen.find('\n') == std::string::npos;
      });
  EXPECT_THAT(seen, HasSubstr(R"({"type":"ADDED","object":{"kind":"Pod")"));
  EXPECT_THAT(seen, HasSubstr(R"("name":"late")"));
}

TEST_F(ServerTest, AWatchEndsWhenItsTimeIsOver) {
  const auto client = Connect();
  const auto outcome = client->SendAndWait(
      Request(http::Method::kGet,
              std::string(kPods) + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true"));
  const auto* response = std::get_if<http::Response>(&outcome);
  ASSERT_NE(response, nullptr);
  EXPECT_THAT(response->body, HasSubstr(R"("type":"BOOKMARK")"));
}

}  // namespace
}  // namespace gs::localcluster
