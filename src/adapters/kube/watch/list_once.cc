#include "adapters/kube/watch/list_once.h"

#include <optional>
#include <string>
#include <utility>

#include "adapters/kube/api/connection.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/watch/watch_request.h"

namespace gs::kube {
namespace {

constexpr std::int32_t kObjectsPerPage = 500;
constexpr int kMostBeginnings = 3;

bool IsAsGoodAsNone(const WatchedKind& kind, int status) {
  return (status == 404 && kind.may_be_missing) || (status == 403 && kind.may_be_forbidden);
}

// Nothing: a page came too late, and the list has to begin again.
Result<std::optional<Telling>> ListAllPages(const SendRequest& send, const WatchedKind& kind) {
  KindTeller teller(kind);
  Telling telling;
  std::string token;
  do {
    const http::Request request = ListRequest(kind.collection, kObjectsPerPage, token);
    const http::Outcome outcome = send(request);
    if (const Error* failed = http::ErrorOf(outcome)) return *failed;
    const auto& response = std::get<http::Response>(outcome);
    if (IsAsGoodAsNone(kind, response.status)) {
      Telling none;
      teller.TellMissing(none);
      if (response.status == 403) none.problems.push_back(RefusalOf(request, response));
      return std::optional(std::move(none));
    }
    if (response.status == 410 && !token.empty()) return std::optional<Telling>();
    if (response.status != 200) return RefusalOf(request, response);
    const auto page = ParseListPage(response.body);
    if (!page) return page.error();
    if (token.empty()) (void)teller.BeginList(page->resource_version);
    if (auto told = teller.TellPage(*page, telling); !told) return std::move(told).error();
    token = page->continue_token;
    if (token.empty()) teller.EndList(page->resource_version, telling);
  } while (!token.empty());
  return std::optional(std::move(telling));
}

}  // namespace

Result<Telling> ListOnce(const SendRequest& send, const WatchedKind& kind) {
  const std::string doing = "listing " + TitleOf(kind.collection.resource);
  for (int i = 0; i < kMostBeginnings; ++i) {
    auto telling = ListAllPages(send, kind);
    if (!telling) return std::move(telling).error().Within(doing);
    if (*telling) return **std::move(telling);
  }
  return Error(ErrorKind::kUnavailable, "its pages expire faster than they are read").Within(doing);
}

}  // namespace gs::kube
