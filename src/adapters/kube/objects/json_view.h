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

#include <array>
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
#include "base/text.h"

namespace gs::kube {

// A parser, what it has parsed, and what was wrong with it. Internal to JsonDocument.
struct JsonState;

// A field that an object may have, and what becomes of it. A table of them reads all in one go.
template <class Value>
struct JsonField;

class JsonView {
 public:
  [[nodiscard]] bool is_present() const { return is_present_; }
  // A value that is absent has absent fields. Requires: the name outlives the document.
  [[nodiscard]] JsonView Field(std::string_view name) const;

  // What the value is; fallbacks where it is absent or, remembered as a mistake, something else.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] std::int64_t Int(IntegerRange range, std::int64_t fallback) const;
  [[nodiscard]] bool Bool() const;
  // A whole number counts as the text of its digits.
  [[nodiscard]] std::string TextOrNumber() const;
  // Text or a whole number, not negative.
  [[nodiscard]] Quantity Amount() const;
  [[nodiscard]] std::vector<JsonView> Items() const;
  // The members of an object by name, in the order of the names.
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonView>> Members() const;
  [[nodiscard]] std::map<std::string, std::string> Texts() const;

  // Reads the fields of an object in the order in which they stand there, which is the quickest way
  // where there are many objects. A field that is not in the table is a mistake, and so is one that
  // is given twice. Requires: at most 64 fields; the table is constant for ever.
  template <class Value, std::size_t kCount>
  void ReadInto(Value& value, const std::array<JsonField<Value>, kCount>& fields) const;

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
  void FailUnknown(std::string_view name, const std::string& known) const;
  // Nothing where it is absent or, remembered as a mistake, something else.
  [[nodiscard]] std::optional<simdjson::dom::object> AsObject() const;
  [[nodiscard]] std::uint32_t PlaceOf(std::string_view name) const;

  JsonState* state_;
  Element value_;  // null where it is absent
  std::uint32_t place_;
  bool is_present_ = false;
};

template <class Value>
struct JsonField {
  std::string_view name;
  void (*read)(const JsonView& field, Value& into);  // only where the field is present
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

template <class Value, std::size_t kCount>
void JsonView::ReadInto(Value& value, const std::array<JsonField<Value>, kCount>& fields) const {
  static_assert(kCount <= 64);
  const auto object = AsObject();
  if (!object) return;
  std::uint64_t met = 0;
  std::size_t next = 0;  // whoever writes many objects writes their fields in one order
  for (const auto& [name, element] : *object) {
    std::size_t tried = 0;
    while (tried < kCount && fields[next].name != name) {
      next = next + 1 < kCount ? next + 1 : 0;
      ++tried;
    }
    if (tried == kCount) {
      return FailUnknown(name, text::Join(fields, ", ", [](const auto& f) { return f.name; }));
    }
    const JsonView field(*state_, PlaceOf(fields[next].name), element);
    if ((met >> next & 1U) != 0) return field.Fail("is given twice");
    met |= std::uint64_t{1} << next;
    if (field.is_present()) fields[next].read(field, value);
    next = next + 1 < kCount ? next + 1 : 0;
  }
}

}  // namespace gs::kube
