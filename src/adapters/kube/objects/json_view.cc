#include "adapters/kube/objects/json_view.h"

#include <algorithm>
#include <tuple>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/json_source.h"

namespace gs::kube {
namespace {

// A thread that once read a huge object does not hold on to its memory.
constexpr std::size_t kMaxKeptBytes = std::size_t{1} << 20;
// As many as one thread has open at a time, with some to spare.
constexpr std::size_t kMaxKeptParsers = 8;

// One step of a path. The steps of all views of a document lie in one list.
struct Place {
  enum class Kind : std::uint8_t { kField, kItem, kMember };

  std::string_view name;  // of a field or member
  std::uint32_t parent;
  std::uint32_t index;  // of an item
  Kind kind;
};

}  // namespace

struct JsonState {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::string_view text;
  std::optional<Error> first_error;
  std::vector<Place> places;  // the first is the root, its own parent

  std::uint32_t Add(const Place& place) {
    places.push_back(place);
    return static_cast<std::uint32_t>(places.size() - 1);
  }

  [[nodiscard]] std::string PathOf(std::uint32_t number) const {
    const Place& place = places[number];
    if (number == 0) return std::string(place.name);
    std::string path = PathOf(place.parent);
    switch (place.kind) {
      case Place::Kind::kField:
        if (!path.empty()) path += ".";
        return path.append(place.name);
      case Place::Kind::kItem: return path + "[" + std::to_string(place.index) + "]";
      case Place::Kind::kMember: break;
    }
    return path.append("[").append(place.name).append("]");
  }
};

namespace {

using StatePtr = std::unique_ptr<JsonState>;

std::vector<StatePtr>& KeptStates() {
  thread_local std::vector<StatePtr> kept;
  return kept;
}

StatePtr TakeState() {
  auto& kept = KeptStates();
  if (kept.empty()) return std::make_unique<JsonState>();
  StatePtr state = std::move(kept.back());
  kept.pop_back();
  state->first_error.reset();
  state->places.clear();
  return state;
}

void KeepState(StatePtr state) {
  auto& kept = KeptStates();
  if (!state || kept.size() >= kMaxKeptParsers) return;
  if (state->parser.capacity() <= kMaxKeptBytes) kept.push_back(std::move(state));
}

}  // namespace

JsonView::JsonView(JsonState& state, std::uint32_t place, Element value)
    : state_(&state), value_(value), place_(place), is_present_(!value.is_null()) {}

void JsonView::Fail(std::string message, std::string advice) const {
  if (state_->first_error) return;
  Error error = Error(ErrorKind::kInvalid, std::move(message)).Advise(std::move(advice));
  const std::string path = state_->PathOf(place_);
  state_->first_error = path.empty() ? std::move(error) : std::move(error).Within(path);
}

void JsonView::FailKind(std::string_view expected) const {
  std::string got = simdjson::minify(value_);
  if (value_.is_object()) got = "an object";
  if (value_.is_array()) got = "a list";
  if (value_.is_string()) got = json::Quoted(Word());
  Fail("expected " + std::string(expected) + ", got " + got);
}

void JsonView::FailUnknown(std::string_view name, const std::string& known) const {
  Fail("unknown field " + json::Quoted(name), "known are " + known);
}

std::optional<simdjson::dom::object> JsonView::AsObject() const {
  if (!is_present_) return std::nullopt;
  simdjson::dom::object object;
  if (value_.get(object) == simdjson::SUCCESS) return object;
  FailKind("an object");
  return std::nullopt;
}

std::uint32_t JsonView::PlaceOf(std::string_view name) const {
  return state_->Add({.name = name, .parent = place_, .index = 0, .kind = Place::Kind::kField});
}

JsonView JsonView::Field(std::string_view name) const {
  const std::uint32_t place = PlaceOf(name);
  const auto object = AsObject();
  Element field;
  if (!object || object->at_key(name).get(field) != simdjson::SUCCESS) return {*state_, place};
  return {*state_, place, field};
}

std::string_view JsonView::Word() const {
  if (!is_present_) return {};
  std::string_view text;
  if (value_.get(text) != simdjson::SUCCESS) FailKind("text");
  return text;
}

std::string JsonView::Text() const { return std::string(Word()); }

std::string JsonView::RequiredText() const {
  const std::string_view text = Word();
  if (text.empty()) Fail("is missing");
  return std::string(text);
}

std::string JsonView::TextOrNumber() const {
  std::int64_t number = 0;
  if (is_present_ && value_.get(number) == simdjson::SUCCESS) return std::to_string(number);
  if (is_present_ && !value_.is_string()) FailKind("text or a whole number");
  return Text();
}

std::int64_t JsonView::Int(IntegerRange range, std::int64_t fallback) const {
  if (!is_present_) return fallback;
  std::int64_t number = 0;
  if (value_.get(number) != simdjson::SUCCESS) {
    FailKind("a whole number");
    return fallback;
  }
  if (number >= range.min && number <= range.max) return number;
  FailKind("a number from " + std::to_string(range.min) + " to " + std::to_string(range.max));
  return fallback;
}

bool JsonView::Bool() const {
  if (!is_present_) return false;
  bool is_true = false;
  if (value_.get(is_true) != simdjson::SUCCESS) FailKind("true or false");
  return is_true;
}

Quantity JsonView::Amount() const {
  if (!is_present_) return {};
  // The API server writes text; people who write JSON by hand also write numbers.
  const bool is_number = value_.is_int64() || value_.is_uint64();
  const auto amount =
      is_number ? Quantity::Parse(simdjson::minify(value_)) : Quantity::Parse(Word());
  if (!amount) {
    Fail(ToString(amount.error()));
    return {};
  }
  if (*amount < Quantity()) Fail("must not be negative");
  return *amount;
}

std::vector<JsonView> JsonView::Items() const {
  if (!is_present_) return {};
  simdjson::dom::array array;
  if (value_.get(array) != simdjson::SUCCESS) {
    FailKind("a list");
    return {};
  }
  std::vector<JsonView> items;
  items.reserve(array.size());
  std::uint32_t index = 0;
  for (const Element item : array) {
    const std::uint32_t place =
        state_->Add({.name = {}, .parent = place_, .index = index++, .kind = Place::Kind::kItem});
    items.push_back({*state_, place, item});
  }
  return items;
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::Members() const {
  const auto object = AsObject();
  if (!object) return {};
  std::vector<std::pair<std::string_view, JsonView>> members;
  members.reserve(object->size());
  for (const auto& [name, value] : *object) {
    const std::uint32_t place =
        state_->Add({.name = name, .parent = place_, .index = 0, .kind = Place::Kind::kMember});
    members.emplace_back(name, JsonView(*state_, place, value));
  }
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.place_) < std::tie(b.first, b.second.place_);
  });
  const auto has_same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  members.erase(std::unique(members.begin(), members.end(), has_same_name), members.end());
  return members;
}

std::map<std::string, std::string> JsonView::Texts() const {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : Members()) texts.emplace(name, value.Text());
  return texts;
}

JsonDocument::JsonDocument(StatePtr state) : state_(std::move(state)) {}
JsonDocument::~JsonDocument() { KeepState(std::move(state_)); }
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Result<JsonDocument> JsonDocument::Parse(std::string_view text, std::string_view place) {
  // The parser must not be given a null pointer, which is what an empty text may have.
  if (text.empty()) return Error(ErrorKind::kInvalid, "is no JSON: it is empty");
  JsonDocument document(TakeState());
  JsonState& state = *document.state_;
  state.text = text;
  const auto error = state.parser.parse(text.data(), text.size()).get(state.root);
  if (error != simdjson::SUCCESS) {
    return Error(ErrorKind::kInvalid, std::string("is no JSON: ") + simdjson::error_message(error));
  }
  state.Add({.name = place, .parent = 0, .index = 0, .kind = Place::Kind::kField});
  return document;
}

JsonView JsonDocument::root() const { return {*state_, 0, state_->root}; }

std::string_view JsonDocument::text() const { return state_->text; }

JsonSource::JsonSource(const JsonDocument& document)
    : text_(document.text()), document_(&document) {}

Result<void> JsonDocument::Finish() const {
  if (state_->first_error) return *state_->first_error;
  return {};
}

}  // namespace gs::kube
