// WebhookCaller: asks the mutating webhooks that are configured in the store, over TLS, one after
// the other, as an API server does before it stores an object.
//
// From any thread but the I/O threads: it waits for the answers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/localcluster/store/object_names.h"
#include "adapters/localcluster/store/store.h"
#include "adapters/localcluster/webhooks/webhook.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

class WebhookCaller {
 public:
  // All must outlive it.
  WebhookCaller(const Store& store, ObjectNames& names, runtime::IoThreads& threads);

  // Whether there is anybody to ask at all.
  [[nodiscard]] bool has_webhooks() const;
  // May change the object. Nothing if nobody minds.
  [[nodiscard]] Verdict Ask(Attempt& attempt) GS_EXCLUDES(mutex_);

 private:
  using Webhooks = std::shared_ptr<const std::vector<Webhook>>;

  [[nodiscard]] Webhooks Current() GS_EXCLUDES(mutex_);
  [[nodiscard]] bool Selects(const Webhook& webhook, const Attempt& attempt) const;
  [[nodiscard]] Result<bool> MeetsConditions(const Webhook& webhook, const Attempt& attempt) const;
  [[nodiscard]] Result<Verdict> Call(const Webhook& webhook, Attempt& attempt);
  [[nodiscard]] Result<std::shared_ptr<http::Client>> ClientFor(const Webhook& webhook,
                                                                http::Url& url) GS_EXCLUDES(mutex_);
  // The address of a pod behind the service.
  [[nodiscard]] Result<http::Url> FindService(const WebhookAddress& address) const;

  const Store& store_;
  ObjectNames& names_;
  runtime::IoThreads& threads_;
  runtime::Mutex mutex_;
  std::vector<ObjectPtr> seen_ GS_GUARDED_BY(mutex_);  // what `webhooks_` was compiled from
  Webhooks webhooks_ GS_GUARDED_BY(mutex_);
  // By origin, name to be verified, and authority.
  std::map<std::string, std::shared_ptr<http::Client>> clients_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::localcluster
