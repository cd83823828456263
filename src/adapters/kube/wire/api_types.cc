#include <algorithm>
#include <map>
#include <utility>

#include "adapters/kube/wire/api_fields.h"
#include "adapters/kube/wire/never_read.h"
#include "base/check.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::kube {
namespace {

using Name = std::string_view;

struct ApiTypes {
  std::map<Name, ApiType> types;
  std::map<std::pair<Name, Name>, const ApiType*> kinds;  // by apiVersion and kind
};

bool Take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

ApiField ReadField(std::string_view text, std::map<Name, ApiType>& types) {
  const auto parts = text::Split(text, ' ');
  GS_CHECK(parts.size() == 3);
  ApiField field;
  const auto number = ParseInt32(parts[0]);
  GS_CHECK(number.ok());
  field.number = static_cast<std::uint32_t>(*number);
  field.name = parts[1];
  field.is_inline = Take(field.name, "~");
  field.keeps_zero = Take(field.name, "+");
  field.key = '"' + std::string(field.name) + "\":";
  std::string_view type = parts[2];
  field.is_optional = Take(type, "*");
  if (Take(type, "[]")) field.shape = ApiField::Shape::kList;
  if (Take(type, "{}")) field.shape = ApiField::Shape::kMap;
  field.is_optional_item = Take(type, "*");
  if (type.size() == 1) {
    field.basic = type.front();
  } else {
    field.type = &types[type];
  }
  return field;
}

std::vector<std::uint8_t> PlacesOf(const std::vector<ApiField>& fields) {
  std::vector<std::uint8_t> places;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    places.resize(std::max<std::size_t>(places.size(), fields[i].number + 1));
    places[fields[i].number] = static_cast<std::uint8_t>(i + 1);
  }
  return places;
}

void MarkNeverRead(std::map<Name, ApiType>& types) {
  for (const auto line : text::Split(kNeverRead, '\n')) {
    const auto names = text::Split(line, ' ');
    for (std::size_t i = 1; i < names.size(); ++i) {
      auto& fields = types.at(names[0]).fields;
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const auto& each) { return each.name == names[i]; });
      GS_CHECK(field != fields.end());
      field->is_never_read = true;
    }
  }
}

ApiTypes ReadTable() {
  ApiTypes table;
  for (const auto line : text::Split(kApiFields, '\n')) {
    if (line.empty()) continue;
    if (line.front() == '=') {
      const auto parts = text::Split(line, ' ');
      GS_CHECK(parts.size() == 4);
      table.kinds[{parts[1], parts[2]}] = &table.types[parts[3]];
      continue;
    }
    const auto colon = line.find(':');
    auto& fields = table.types[line.substr(0, colon)].fields;
    for (const auto field : text::Split(line.substr(colon + 1), ';')) {
      if (!field.empty()) fields.push_back(ReadField(field, table.types));
    }
  }
  for (auto& entry : table.types) entry.second.places = PlacesOf(entry.second.fields);
  MarkNeverRead(table.types);
  return table;
}

}  // namespace

const ApiType* FindApiType(std::string_view api_version, std::string_view kind) {
  static const ApiTypes kTable = ReadTable();
  const auto found = kTable.kinds.find({api_version, kind});
  return found == kTable.kinds.end() ? nullptr : found->second;
}

}  // namespace gs::kube
