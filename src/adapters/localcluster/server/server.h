// Server: the embedded cluster's API on a TLS port: clients are known by their certificates, lists
// and watches are streamed, and a slow watcher costs no more than its place in the history.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/http/server.h"
#include "adapters/localcluster/api/api.h"
#include "adapters/runtime/io_threads.h"

namespace gs::localcluster {

// Answers what a kubelet would (pods/log, pods/exec), or leaves it to the API.
using AskKubelet = std::function<std::optional<http::Reply>(const ApiRequest&)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  http::TlsCredentials credentials;
  AskKubelet kubelet;
  // Whether writes have to wait for webhooks now; then they are answered on threads of their own,
  // so that the network's threads stay free for the webhooks' answers.
  std::function<bool()> has_webhooks;
};

class Server {
 public:
  // Listens when it returns. The API and what `kubelet` refers to must live until the threads
  // have stopped.
  [[nodiscard]] static Result<std::unique_ptr<Server>> Start(runtime::IoThreads& threads, Api& api,
                                                             ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  void Shutdown(Duration grace);

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace gs::localcluster
