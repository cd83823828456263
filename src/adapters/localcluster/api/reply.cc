#include "adapters/localcluster/api/reply.h"

#include <limits>
#include <utility>

namespace gs::localcluster {

std::string ItemsBody::Print(std::size_t& first, std::size_t bytes) const {
  std::string text;
  while (first < items.size() && text.size() < bytes) {
    const StoredObject& item = *items[first];
    if (first++ > 0) text += ',';
    if (!has_kinds) text += '{';
    text += std::string_view(item.text).substr(has_kinds ? 0 : item.body_at);
  }
  return text;
}

std::string ApiReply::Text() const {
  if (!items) return body;
  std::size_t first = 0;
  return items->head + items->Print(first, std::numeric_limits<std::size_t>::max()) + items->tail;
}

ApiReply Refuse(const Status& status) {
  return {.status = status.code,
          .content_type = "application/json",
          .body = PrintStatus(status),
          .items = nullptr,
          .watch = nullptr};
}

ApiReply Say(int status, std::string body) {
  return {.status = status,
          .content_type = "application/json",
          .body = std::move(body),
          .items = nullptr,
          .watch = nullptr};
}

}  // namespace gs::localcluster
