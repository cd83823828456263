// ObjectReader: the fields of one JSON object, typed, with the path of the field in every refusal
// ("devices[2].id: expected a whole number, got \"x\"").
//
// Read every field the format has, then ask Finish(): it refuses fields nobody asked for, so that a
// typo is noticed, and otherwise reports the first thing that was wrong. Until then the reads give
// fallbacks; use nothing before. A field that is null counts as absent, as in Kubernetes. The JSON
// value must outlive the reader.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse.h"
#include "base/quoted.h"
#include "base/result.h"

namespace gs::json {

class ObjectReader {
 public:
  // `path` names the object in messages, "" for the whole text. A value that is no object is
  // refused by Finish().
  ObjectReader(const boost::json::value& value, std::string path);

  [[nodiscard]] std::int64_t RequiredInt(std::string_view field, IntegerRange range);
  [[nodiscard]] std::int64_t Int(std::string_view field, IntegerRange range, std::int64_t fallback);
  [[nodiscard]] std::string RequiredText(std::string_view field);
  [[nodiscard]] std::string Text(std::string_view field, std::string_view fallback = "");
  [[nodiscard]] bool Bool(std::string_view field, bool fallback);
  [[nodiscard]] std::vector<std::string> Texts(std::string_view field);
  // A word that `parse` turns into an optional enumerator; `names` lists the words for the refusal.
  template <class Parse, class Value>
  [[nodiscard]] Value Word(std::string_view field, Parse parse, std::string_view names,
                           Value fallback);

  // For what is read by other means. Null, or an empty list, where the field is absent.
  [[nodiscard]] const boost::json::value* Raw(std::string_view field);
  [[nodiscard]] const boost::json::array& Array(std::string_view field);
  // A field that the format has and this reader has no use for.
  void Skip(std::string_view field) { (void)Raw(field); }

  // Records a refusal of the caller's own.
  void Fail(std::string_view field, std::string message, std::string advice = "");
  // "devices[2].id"
  [[nodiscard]] std::string PathOf(std::string_view field) const;

  [[nodiscard]] Result<void> Finish() const;

 private:
  [[nodiscard]] std::int64_t ReadInt(std::string_view field, const boost::json::value& value,
                                     IntegerRange range);
  [[nodiscard]] std::optional<std::string> ReadText(std::string_view field);
  void FailKind(std::string_view field, std::string_view expected, const boost::json::value& got);
  [[nodiscard]] std::optional<Error> UnknownField() const;

  const boost::json::object* object_ = nullptr;
  std::string path_;
  std::vector<std::string> asked_;  // in the order of the reads
  std::optional<Error> first_error_;
};

// A value as error messages show it, on one line: "x", 7, an object, a list.
[[nodiscard]] std::string Describe(const boost::json::value& value);
using text::Quoted;

template <class Parse, class Value>
Value ObjectReader::Word(std::string_view field, Parse parse, std::string_view names,
                         Value fallback) {
  const auto text = ReadText(field);
  if (!text) return fallback;
  const std::optional<Value> value = parse(*text);
  if (!value) Fail(field, "expected one of " + std::string(names) + ", got " + Quoted(*text));
  return value.value_or(fallback);
}

}  // namespace gs::json
