#include "adapters/localcluster/tables/table_format.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "adapters/localcluster/tables/cells.h"
#include "adapters/localcluster/tables/json_path.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

struct CustomColumn {
  std::string type;
  JsonPath path;
};

value WholeNumber(const value& found) {
  if (found.is_int64() || found.is_uint64()) return found;
  if (!found.is_double()) return nullptr;
  constexpr double kLimit = 9e18;
  const double number = found.get_double();
  if (number < -kLimit || number > kLimit) return nullptr;
  return static_cast<std::int64_t>(number);
}

// Null where the value is not of the column's type, as the server has it.
value CustomCell(const CustomColumn& column, const value* found, TimePoint now) {
  if (found == nullptr || found->is_null()) return nullptr;
  if (column.type == "string") {
    return found->is_string() ? *found : value(boost::json::serialize(*found));
  }
  if (column.type == "integer") return WholeNumber(*found);
  if (column.type == "number") return found->is_number() ? *found : value();
  if (column.type == "boolean") return found->is_bool() ? *found : value();
  if (column.type == "date" && found->is_string()) return value(AgeSince(found->get_string(), now));
  return nullptr;
}

// Of kinds without a table of their own.
array NameAndCreation(const object& object, TimePoint /*now*/) {
  return {Text(object, {"metadata", "name"}), Text(object, {"metadata", "creationTimestamp"})};
}

value IncludedObject(const object& whole, IncludeObject include) {
  if (include == IncludeObject::kNone) return nullptr;
  if (include == IncludeObject::kObject) return whole;
  const auto* metadata = FindObject(whole, {"metadata"});
  return object{{"kind", "PartialObjectMetadata"},
                {"apiVersion", "meta.k8s.io/v1"},
                {"metadata", metadata == nullptr ? object() : *metadata}};
}

// A pod that is done is told from others, so that clients can hide it.
void MarkCompleted(const object& whole, object& row) {
  const auto phase = Text(whole, {"status", "phase"});
  if (Text(whole, {"kind"}) != "Pod" || (phase != "Succeeded" && phase != "Failed")) return;
  row["conditions"] = array{object{
      {"type", "Completed"},
      {"status", "True"},
      {"reason", phase},
      {"message", phase == "Failed" ? "The pod failed." : "The pod has completed successfully."}}};
}

}  // namespace

Result<IncludeObject> ParseIncludeObject(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "None") return IncludeObject::kNone;
  if (text == "Object") return IncludeObject::kObject;
  return Error(ErrorKind::kInvalid,
               "unrecognized includeObject value: \"" + std::string(text) + "\"");
}

TableFormat TableFormat::OfBuiltIn(std::string_view kind) {
  TableFormat format;
  const auto* table = FindBuiltInTable(kind);
  if (table == nullptr) {
    format.columns_ = {{.name = "Name", .type = "string", .format = "name", .description = ""},
                       {.name = "Created At", .type = "date", .format = "", .description = ""}};
    format.cells_ = NameAndCreation;
    return format;
  }
  for (const auto& column : table->columns) {
    format.columns_.push_back({.name = std::string(column.name),
                               .type = std::string(column.type),
                               .format = column.name == "Name" ? "name" : "",
                               .description = "",
                               .priority = column.priority});
  }
  format.cells_ = table->cells;
  return format;
}

Result<TableFormat> TableFormat::OfCustom(const value* columns) {
  static const array kOnlyAge{
      object{{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}}};
  TableFormat format;
  format.columns_ = {{.name = "Name", .type = "string", .format = "name", .description = ""}};
  auto custom = std::make_shared<std::vector<CustomColumn>>();
  const bool has_own = columns != nullptr && columns->is_array() && !columns->get_array().empty();
  for (const auto& item : has_own ? columns->get_array() : kOnlyAge) {
    const object& column = Members(item, {});
    const auto text = [&](std::string_view field) { return std::string(Text(column, {field})); };
    auto path = JsonPath::Parse(text("jsonPath"));
    if (!path) return std::move(path).error();
    const std::string described = text("description");
    format.columns_.push_back(
        {.name = text("name"),
         .type = text("type"),
         .format = text("format"),
         .description = described.empty() ? "Custom resource definition column (in JSONPath "
                                            "format): " +
                                                text("jsonPath")
                                          : described,
         .priority = static_cast<int>(Int(column, {"priority"}))});
    custom->push_back({.type = text("type"), .path = *std::move(path)});
  }
  format.cells_ = [custom](const object& whole, TimePoint now) {
    array cells{Text(whole, {"metadata", "name"})};
    const value root(whole);
    for (const auto& column : *custom) {
      cells.push_back(CustomCell(column, column.path.FindFirst(root), now));
    }
    return cells;
  };
  return format;
}

array TableFormat::Columns() const {
  array definitions;
  for (const auto& column : columns_) {
    definitions.push_back(object{{"name", column.name},
                                 {"type", column.type},
                                 {"format", column.format},
                                 {"description", column.description},
                                 {"priority", column.priority}});
  }
  return definitions;
}

object TableFormat::Row(const object& whole, IncludeObject include, TimePoint now) const {
  object row{{"cells", cells_(whole, now)}};
  MarkCompleted(whole, row);
  row["object"] = IncludedObject(whole, include);
  return row;
}

object MakeTable(const TableFormat& format, object list_metadata, array rows) {
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", std::move(list_metadata)},
          {"columnDefinitions", format.Columns()},
          {"rows", std::move(rows)}};
}

}  // namespace gs::localcluster
