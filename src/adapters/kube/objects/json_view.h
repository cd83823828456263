// JsonDocument and JsonView: fields of an API object, read where they lie and typed, with the path
// of the field in every refusal. Internal to the adapters of Kubernetes; with json_pieces.h the
// only headers that know the parser.
//
// Reads give fallbacks and remember the first thing that was wrong; ask Finish() before using what
// was read. Fields that nobody asks for do not exist, a null counts as absent, and of several
// fields with one name the first counts. Views must not outlive their document.
//
// Parsers are kept per thread and used again, so that a document costs no allocation once the
// thread has read a few. Paths are put together only for a refusal.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/quantity.h"
#include "base/result.h"

namespace gs::kube {

// A parser, what it has parsed, and what was wrong with it. Internal to JsonDocument.
struct JsonState;

class JsonView {
 public:
  [[nodiscard]] bool is_present() const { return is_present_; }
  // A value that is absent has absent fields. Requires: the name outlives the document.
  [[nodiscard]] JsonView Field(std::string_view name) const;

  // What the value is; fallbacks where it is absent or, remembered as a mistake, something else.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] std::int64_t Int(IntegerRange range, std::int64_t fallback) const;
  [[nodiscard]] bool Bool() const;
  // Text or a whole number, not negative.
  [[nodiscard]] Quantity Amount() const;
  [[nodiscard]] std::vector<JsonView> Items() const;
  // The members of an object by name, in the order of the names.
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonView>> Members() const;
  [[nodiscard]] std::map<std::string, std::string> Texts() const;

  // Text() without a copy; good as long as the document.
  [[nodiscard]] std::string_view Word() const;
  // Absent or empty is a mistake.
  [[nodiscard]] std::string RequiredText() const;

  void Fail(std::string message, std::string advice = "") const;

 private:
  friend class JsonDocument;
  using Element = simdjson::dom::element;
  JsonView(JsonState& state, std::uint32_t place) : state_(&state), place_(place) {}
  JsonView(JsonState& state, std::uint32_t place, Element value);
  void FailKind(std::string_view expected) const;

  JsonState* state_;
  Element value_;  // null where it is absent
  std::uint32_t place_;
  bool is_present_ = false;
};

class JsonDocument {
 public:
  // Paths begin with `place`, which must outlive the document.
  [[nodiscard]] static Result<JsonDocument> Parse(std::string_view text,
                                                  std::string_view place = "");
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] JsonView root() const;
  [[nodiscard]] Result<void> Finish() const;
  // What was parsed, as long as its owner keeps it.
  [[nodiscard]] std::string_view text() const;

 private:
  explicit JsonDocument(std::unique_ptr<JsonState> state);

  std::unique_ptr<JsonState> state_;  // on the heap, so that views stay good when this moves
};

}  // namespace gs::kube
