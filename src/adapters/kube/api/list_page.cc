#include "adapters/kube/api/list_page.h"

#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/api/protobuf_page.h"
#include "adapters/kube/objects/json_pieces.h"
#include "adapters/kube/wire/protobuf.h"

namespace gs::kube {
namespace {

ListPage ReadJsonPage(const JsonPieces& pieces) {
  ListPage page;
  const JsonView kind = pieces.Field("kind");
  if (!kind.Word().ends_with("List")) {
    kind.Fail("expected a list of objects, got " + json::Quoted(kind.Word()));
  }
  const JsonView metadata = pieces.Field("metadata");
  page.resource_version = ResourceVersion(metadata.Field("resourceVersion").RequiredText());
  page.continue_token = metadata.Field("continue").Text();
  (void)pieces.Field("items").Items();  // anything but a list is a mistake
  page.items = pieces.items();
  return page;
}

}  // namespace

Result<ListPage> ParseListPage(std::string_view body) {
  if (IsProtobuf(body)) return ParseProtobufPage(body);
  const auto pieces = JsonPieces::Split(body, "items");
  if (!pieces) return Error(pieces.error()).Within("list");
  ListPage page = ReadJsonPage(*pieces);
  if (auto done = pieces->Finish(); !done) return std::move(done).error().Within("list");
  return page;
}

}  // namespace gs::kube
