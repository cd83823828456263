#include "adapters/kube/api/list_page.h"

#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/json_view.h"

namespace gs::kube {
namespace {

ListPage ReadPage(const JsonView& root) {
  ListPage page;
  const JsonView kind = root.Field("kind");
  if (!kind.Text().ends_with("List")) {
    kind.Fail("expected a list of objects, got " + json::Quoted(kind.Text()));
  }
  const JsonView metadata = root.Field("metadata");
  page.resource_version = ResourceVersion(metadata.Field("resourceVersion").RequiredText());
  page.continue_token = metadata.Field("continue").Text();
  for (const JsonView& item : root.Field("items").Items()) page.items.push_back(item.Json());
  return page;
}

}  // namespace

Result<ListPage> ParseListPage(std::string_view body) {
  const auto document = JsonDocument::Parse(body);
  if (!document) return Error(document.error()).Within("list");
  ListPage page = ReadPage(document->root());
  if (auto done = document->Finish(); !done) return std::move(done).error().Within("list");
  return page;
}

}  // namespace gs::kube
