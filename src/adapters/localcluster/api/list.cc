#include "adapters/localcluster/api/list.h"

#include <algorithm>

#include "base/parse.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kTokenStart = "gl1.";

struct Token {
  Revision revision = 0;
  std::string last;  // "namespace/name" of the last object of the page before
};

std::string PathOf(const StoredObject& object) { return object.ns + "/" + object.name; }

std::string PrintToken(const Token& token) {
  return std::string(kTokenStart) + std::to_string(token.revision) + "." + token.last;
}

std::optional<Token> ParseToken(std::string_view text) {
  if (!text.starts_with(kTokenStart)) return std::nullopt;
  text.remove_prefix(kTokenStart.size());
  const auto dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto revision = ParseInt64(text.substr(0, dot), {.min = 1});
  if (!revision) return std::nullopt;
  return Token{.revision = static_cast<Revision>(*revision),
               .last = std::string(text.substr(dot + 1))};
}

Answer<Listing> ListAtExactly(const Store& store, const std::string& resource,
                              const std::string& ns, Revision revision) {
  if (revision > store.revision()) return TooLargeVersion(revision, store.revision());
  auto listing = store.ListAt(resource, ns, revision);
  if (listing) return *std::move(listing);
  return Expired("The resourceVersion for the provided list is too old.");
}

Answer<Listing> ReadState(const Store& store, const std::string& resource,
                          const ListRequest& request, const std::optional<Token>& token) {
  if (token) {
    auto listing = store.ListAt(resource, request.ns, token->revision);
    if (listing) return *std::move(listing);
    return Expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter.");
  }
  if (request.match == VersionMatch::kExact) {
    return ListAtExactly(store, resource, request.ns, request.revision);
  }
  auto listing = store.List(resource, request.ns);
  if (request.revision > listing.revision) {
    return TooLargeVersion(request.revision, listing.revision);
  }
  return listing;
}

}  // namespace

Status TooLargeVersion(Revision asked, Revision current) {
  Status status = BadRequest("Timeout: Too large resource version: " + std::to_string(asked) +
                             ", current: " + std::to_string(current));
  status.code = 504;
  status.reason = "Timeout";
  status.retry_after_seconds = 1;
  status.causes.push_back(
      {.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = ""});
  return status;
}

Answer<ListPage> ReadList(const Store& store, const std::string& resource,
                          const ListRequest& request) {
  std::optional<Token> token;
  if (!request.continues.empty()) {
    token = ParseToken(request.continues);
    if (!token) return BadRequest("continue key is not valid");
    if (!request.resource_version.empty() && request.resource_version != "0") {
      return BadRequest("specifying resource version is not allowed when using continue");
    }
  }
  auto listing = ReadState(store, resource, request, token);
  if (!listing) return listing.status();
  ListPage page{.revision = listing->revision, .objects = {}, .continues = "", .remaining = {}};
  auto& all = listing->objects;
  std::erase_if(all, [&](const ObjectPtr& object) {
    return (token && PathOf(*object) <= token->last) || !request.selection.Matches(*object);
  });
  // A list of any state comes from memory in the real server, which knows no pages there.
  const bool is_paged = request.limit > 0 && request.resource_version != "0";
  const auto limit = static_cast<std::size_t>(request.limit);
  if (is_paged && all.size() > limit) {
    if (request.selection.is_everything()) page.remaining = all.size() - limit;
    all.resize(limit);
    page.continues = PrintToken({.revision = page.revision, .last = PathOf(*all.back())});
  }
  page.objects = std::move(all);
  return page;
}

}  // namespace gs::localcluster
