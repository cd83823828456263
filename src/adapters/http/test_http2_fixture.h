// What tests of the client over HTTP/2 have in common. Never shipped.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/test_certificates.h"
#include "adapters/http/test_http2_server.h"

namespace gs::http {

class Http2Fixture : public testing::Test {
 protected:
  // Before the first client, which is to be gone before the test ends.
  void Serve(Http2Server::Script script, Http2Server::Options options = {}) {
    server_ = std::make_unique<Http2Server>(
        authority_.Issue({.name = "server", .alternative = "IP:127.0.0.1"}), std::move(script),
        std::move(options));
  }
  std::unique_ptr<Client> MakeClient(ClientOptions options = {}) {
    return MakeClient(server_->port(), std::move(options));
  }
  std::unique_ptr<Client> MakeClient(std::uint16_t port, ClientOptions options) {
    options.tls.credentials.ca_pem = authority_.pem();
    const Url url{.is_tls = true, .host = "127.0.0.1", .port = port};
    return *Client::Create(threads_, url, std::move(options));
  }

  // So many at a time, for "/0", "/1" and so on.
  static std::vector<std::future<Outcome>> SendMany(Client& client, int count,
                                                    Method method = Method::kPost,
                                                    const SendOptions& options = {}) {
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < count; ++i) {
      auto promise = std::make_shared<std::promise<Outcome>>();
      outcomes.push_back(promise->get_future());
      client.SendThen({.method = method, .target = "/" + std::to_string(i)}, options,
                      [promise](Outcome outcome) { promise->set_value(std::move(outcome)); });
    }
    return outcomes;
  }
  static Request Post(std::string body) {
    return {.method = Method::kPost, .body = std::move(body)};
  }
  static void Answer(Http2Link& link, const SeenRequest& request) {
    link.Answer(request.stream, 200, "ok");
  }

  static const Response& Answer(const Outcome& outcome) {
    static const Response kNone{.status = 0};
    const auto* response = std::get_if<Response>(&outcome);
    if (response != nullptr) return *response;
    ADD_FAILURE() << *ErrorOf(outcome);
    return kNone;
  }
  // "not sent: …", "unknown: …" or the body.
  static std::string Told(const Outcome& outcome) {
    const Error* error = ErrorOf(outcome);
    if (error == nullptr) return std::get<Response>(outcome).body;
    return (std::holds_alternative<NotSent>(outcome) ? "not sent: " : "unknown: ") +
           ToString(*error);
  }

  runtime::IoThreads threads_{2};
  TestAuthority authority_{"authority"};
  std::unique_ptr<Http2Server> server_;
};

}  // namespace gs::http
