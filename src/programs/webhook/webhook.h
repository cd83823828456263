// The webhook as a process: a TLS server whose certificate is looked after, and a view of the
// claims that pods name.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/webhook/options.h"

namespace gs::webhook {

class Webhook {
 public:
  // Hears that what is known of claims does not hold any more, and why: this has to be started
  // anew. From any thread; nobody: it is logged.
  using GoneBack = std::function<void(const Error&)>;

  // Listens when it returns; has a certificate of use a little later.
  [[nodiscard]] static Result<std::unique_ptr<Webhook>> Start(const WebhookOptions& options,
                                                              std::string_view version,
                                                              const runtime::Logger& log,
                                                              GoneBack gone_back = {});
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  Webhook(Webhook&&) = delete;
  Webhook& operator=(Webhook&&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Empty: API servers can ask it. From any thread.
  [[nodiscard]] std::string WhyNotReady() const;
  // Says that it is not ready any more, and answers for a while longer. Requires: once.
  void Drain(Duration time);

 private:
  struct State;
  explicit Webhook(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Until SIGTERM or SIGINT. An error is why it could not begin, or not go on.
[[nodiscard]] Result<void> RunWebhook(const WebhookOptions& options, std::string_view version,
                                      const runtime::Logger& log);

}  // namespace gs::webhook
