#include "adapters/yaml/parse.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/yaml/characters.h"
#include "adapters/yaml/tree_builder.h"
#include "base/text.h"

namespace gs::yaml {
namespace {

using Documents = std::vector<boost::json::value>;

Result<void> CheckText(std::string_view text, const Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(ErrorKind::kInvalid, "the text has " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(limits.max_bytes) +
                                          " are read");
  }
  if (const auto offset = FindForbiddenByte(text)) {
    return Error(ErrorKind::kInvalid, "a control character or a byte that is not UTF-8")
        .At(json::PlaceAt(text, *offset));
  }
  return {};
}

bool MayBeJson(std::string_view text) {
  const std::string_view trimmed = text::Trim(text);
  return !trimmed.empty() && (trimmed[0] == '{' || trimmed[0] == '[');
}

Documents ParseOrThrow(std::string_view text, const Limits& limits, KeyPlaces* places) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(text, limits, places);
  while (parser.HandleNextDocument(builder)) {
  }
  return builder.TakeDocuments();
}

Result<Documents> ParseGuarded(std::string_view text, const Limits& limits, KeyPlaces* places) {
  try {
    return ParseOrThrow(text, limits, places);
  } catch (const Refusal& refusal) {
    return refusal.error();
  } catch (const YAML::Exception& failure) {
    Error error(ErrorKind::kInvalid, "not valid YAML: " + failure.msg);
    if (failure.mark.is_null()) return error;
    return std::move(error).At({.line = failure.mark.line + 1, .column = failure.mark.column + 1});
  } catch (const std::exception& failure) {
    return Error(ErrorKind::kInternal, std::string("reading YAML failed: ") + failure.what());
  }
}

Result<boost::json::value> OnlyOne(Result<Documents> documents) {
  if (!documents) return std::move(documents).error();
  if (documents->empty()) return Error(ErrorKind::kInvalid, "the text has no content");
  if (documents->size() > 1) {
    return Error(ErrorKind::kInvalid,
                 "expected one document, found " + std::to_string(documents->size()))
        .Advise("remove the lines ---");
  }
  return std::move(documents->front());
}

}  // namespace

Result<Documents> ParseYamlDocuments(std::string_view text, const Limits& limits) {
  text = WithoutByteOrderMark(text);
  if (auto checked = CheckText(text, limits); !checked) return std::move(checked).error();
  if (MayBeJson(text)) {
    auto value =
        json::ParseJson(text, {.max_bytes = limits.max_bytes, .max_depth = limits.max_depth});
    if (value) return Documents{*std::move(value)};
  }
  return ParseGuarded(text, limits, nullptr);
}

Result<boost::json::value> ParseYaml(std::string_view text, const Limits& limits) {
  return OnlyOne(ParseYamlDocuments(text, limits));
}

TextPlace FindPlace(const KeyPlaces& places, std::string_view path) {
  while (!path.empty()) {
    const auto found = places.find(std::string(path.substr(0, path.find('['))));
    if (found != places.end()) return found->second;
    const auto dot = path.rfind('.');
    path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return {};
}

Result<PlacedYaml> ParseYamlWithPlaces(std::string_view text, const Limits& limits) {
  text = WithoutByteOrderMark(text);
  if (auto checked = CheckText(text, limits); !checked) return std::move(checked).error();
  PlacedYaml placed;
  auto value = OnlyOne(ParseGuarded(text, limits, &placed.places));
  if (!value) return std::move(value).error();
  placed.value = *std::move(value);
  return placed;
}

}  // namespace gs::yaml
