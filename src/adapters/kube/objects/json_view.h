// JsonDocument and JsonView: fields of an API object, read where they lie and typed, with the path
// of the field in every refusal. Internal to this folder; the only header that knows the parser.
//
// Reads give fallbacks and remember the first thing that was wrong; ask Finish() before using what
// was read. Fields that nobody asks for do not exist, and a null counts as absent. Views must not
// outlive their document.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse.h"
#include "base/quantity.h"
#include "base/result.h"

namespace gs::kube {

class JsonView {
 public:
  [[nodiscard]] bool is_present() const { return value_.has_value(); }
  // A value that is absent has absent fields.
  [[nodiscard]] JsonView Field(std::string_view name) const;

  // What the value is; fallbacks where it is absent or, remembered as a mistake, something else.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] std::int64_t Int(IntegerRange range, std::int64_t fallback) const;
  [[nodiscard]] bool Bool() const;
  // Text or a whole number, not negative.
  [[nodiscard]] Quantity Amount() const;
  [[nodiscard]] std::vector<JsonView> Items() const;
  // The members of an object by name.
  [[nodiscard]] std::map<std::string, JsonView> Members() const;
  [[nodiscard]] std::map<std::string, std::string> Texts() const;

  // The value as compact JSON of its own; "" where it is absent.
  [[nodiscard]] std::string Json() const;
  // Absent or empty is a mistake.
  [[nodiscard]] std::string RequiredText() const;

  void Fail(std::string message, std::string advice = "") const;

 private:
  friend class JsonDocument;
  using Element = simdjson::dom::element;
  JsonView(std::optional<Element> value, std::string path, std::optional<Error>* first_error);
  void FailKind(std::string_view expected) const;

  std::optional<Element> value_;
  std::string path_;
  std::optional<Error>* first_error_;  // lives in the document
};

class JsonDocument {
 public:
  [[nodiscard]] static Result<JsonDocument> Parse(std::string_view text);

  [[nodiscard]] JsonView root() const;
  [[nodiscard]] Result<void> Finish() const;

 private:
  // On the heap, so that views stay good when the document moves.
  struct State {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::optional<Error> first_error;
  };
  explicit JsonDocument(std::unique_ptr<State> state) : state_(std::move(state)) {}

  std::unique_ptr<State> state_;
};

}  // namespace gs::kube
