// ListOnce: everything of one kind as it is now, for whoever asks once and ends. What is told is
// what a watcher would tell of a complete list.
#pragma once

#include <functional>

#include "adapters/http/outcome.h"
#include "adapters/kube/watch/kind_teller.h"
#include "adapters/kube/watch/watched_kind.h"
#include "base/result.h"

namespace gs::kube {

// How a request is sent; a program gives ApiClient::Send.
using SendRequest = std::function<http::Outcome(const http::Request&)>;

// Page by page, from the beginning again where a page came too late. A kind that the cluster does
// not have, or that may be hidden from us and is, is told as missing; the latter as a problem too.
[[nodiscard]] Result<Telling> ListOnce(const SendRequest& send, const WatchedKind& kind);

}  // namespace gs::kube
