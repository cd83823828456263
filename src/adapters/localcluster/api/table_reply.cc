#include "adapters/localcluster/api/table_reply.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr const char* kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

// The columns that its definition gives to a version.
Result<TableFormat> CustomFormat(const Store& store, const Kind& kind) {
  const auto found = store.Get({.resource = kDefinitions, .ns = "", .name = kind.resource()});
  if (!found) return TableFormat::OfCustom(nullptr);
  const auto definition = ParseStored(found->text);
  const auto* versions = FindArray(definition, {"spec", "versions"});
  for (const auto& item : versions == nullptr ? json::array() : *versions) {
    if (!item.is_object() || Text(item.get_object(), {"name"}) != kind.version) continue;
    return TableFormat::OfCustom(Find(item.get_object(), {"additionalPrinterColumns"}));
  }
  return TableFormat::OfCustom(nullptr);
}

}  // namespace

Answer<std::optional<TableReply>> TableReply::For(const Store& store, const View& view,
                                                  const ApiRequest& request) {
  if (request.accept.find("as=Table") == std::string::npos) return std::optional<TableReply>();
  const auto include = ParseIncludeObject(request.query.Text("includeObject"));
  if (!include) return BadRequest(include.error().message());
  auto format = view.asked->is_custom
                    ? CustomFormat(store, *view.asked)
                    : Result<TableFormat>(TableFormat::OfBuiltIn(view.stored->kind));
  if (!format) return BadRequest(format.error().message());
  return std::optional<TableReply>(TableReply(view, *std::move(format), *include));
}

json::object TableReply::Row(const StoredObject& object, TimePoint now) const {
  return format_.Row(ParseStored(object.text), include_, now);
}

std::string TableReply::Print(json::object list_metadata, const std::vector<ObjectPtr>& objects,
                              TimePoint now) const {
  json::array rows;
  rows.reserve(objects.size());
  for (const auto& object : objects) rows.emplace_back(Row(*object, now));
  return json::serialize(MakeTable(format_, std::move(list_metadata), std::move(rows)));
}

std::string TableReply::PrintOne(const StoredObject& object, TimePoint now, Columns columns) const {
  json::array rows;
  rows.emplace_back(Row(object, now));
  auto table =
      MakeTable(format_, {{"resourceVersion", std::to_string(object.revision)}}, std::move(rows));
  if (columns == Columns::kOmit) table["columnDefinitions"] = json::array();
  return json::serialize(table);
}

}  // namespace gs::localcluster
