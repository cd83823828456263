#include "adapters/kube/objects/json_view.h"

#include <utility>

#include "adapters/json/object_reader.h"

namespace gs::kube {

JsonView::JsonView(std::optional<Element> value, std::string path,
                   std::optional<Error>* first_error)
    : value_(value), path_(std::move(path)), first_error_(first_error) {
  if (value_ && value_->is_null()) value_.reset();
}

void JsonView::Fail(std::string message, std::string advice) const {
  if (*first_error_) return;
  Error error = Error(ErrorKind::kInvalid, std::move(message)).Advise(std::move(advice));
  *first_error_ = path_.empty() ? std::move(error) : std::move(error).Within(path_);
}

void JsonView::FailKind(std::string_view expected) const {
  std::string got = simdjson::minify(*value_);
  if (value_->is_object()) got = "an object";
  if (value_->is_array()) got = "a list";
  if (value_->is_string())
    got = json::Quoted(std::string_view(value_->get_string().value_unsafe()));
  Fail("expected " + std::string(expected) + ", got " + got);
}

JsonView JsonView::Field(std::string_view name) const {
  std::string path = path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  if (!value_) return {std::nullopt, std::move(path), first_error_};
  simdjson::dom::object object;
  if (value_->get(object) != simdjson::SUCCESS) {
    FailKind("an object");
    return {std::nullopt, std::move(path), first_error_};
  }
  Element field;
  if (object.at_key(name).get(field) != simdjson::SUCCESS) {
    return {std::nullopt, std::move(path), first_error_};
  }
  return {field, std::move(path), first_error_};
}

std::string JsonView::Text() const {
  if (!value_) return {};
  std::string_view text;
  if (value_->get(text) != simdjson::SUCCESS) FailKind("text");
  return std::string(text);
}

std::string JsonView::RequiredText() const {
  std::string text = Text();
  if (text.empty()) Fail("is missing");
  return text;
}

std::string JsonView::Json() const { return value_ ? simdjson::minify(*value_) : ""; }

std::int64_t JsonView::Int(IntegerRange range, std::int64_t fallback) const {
  if (!value_) return fallback;
  std::int64_t number = 0;
  if (value_->get(number) != simdjson::SUCCESS) {
    FailKind("a whole number");
    return fallback;
  }
  if (number >= range.min && number <= range.max) return number;
  FailKind("a number from " + std::to_string(range.min) + " to " + std::to_string(range.max));
  return fallback;
}

bool JsonView::Bool() const {
  if (!value_) return false;
  bool is_true = false;
  if (value_->get(is_true) != simdjson::SUCCESS) FailKind("true or false");
  return is_true;
}

Quantity JsonView::Amount() const {
  if (!value_) return {};
  // The API server writes text; people who write JSON by hand also write numbers.
  const bool is_number = value_->is_int64() || value_->is_uint64();
  const auto amount = Quantity::Parse(is_number ? simdjson::minify(*value_) : Text());
  if (!amount) {
    Fail(ToString(amount.error()));
    return {};
  }
  if (*amount < Quantity()) Fail("must not be negative");
  return *amount;
}

std::vector<JsonView> JsonView::Items() const {
  if (!value_) return {};
  simdjson::dom::array array;
  if (value_->get(array) != simdjson::SUCCESS) {
    FailKind("a list");
    return {};
  }
  std::vector<JsonView> items;
  for (const Element item : array) {
    items.push_back({item, path_ + "[" + std::to_string(items.size()) + "]", first_error_});
  }
  return items;
}

std::map<std::string, JsonView> JsonView::Members() const {
  if (!value_) return {};
  simdjson::dom::object object;
  if (value_->get(object) != simdjson::SUCCESS) {
    FailKind("an object");
    return {};
  }
  std::map<std::string, JsonView> members;
  for (const auto& [key, value] : object) {
    const std::string name(key);
    members.emplace(name, JsonView(value, path_ + "[" + name + "]", first_error_));
  }
  return members;
}

std::map<std::string, std::string> JsonView::Texts() const {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : Members()) texts.emplace(name, value.Text());
  return texts;
}

Result<JsonDocument> JsonDocument::Parse(std::string_view text) {
  // The parser must not be given a null pointer, which is what an empty text may have.
  if (text.empty()) return Error(ErrorKind::kInvalid, "is no JSON: it is empty");
  auto state = std::make_unique<State>();
  const auto error = state->parser.parse(text.data(), text.size()).get(state->root);
  if (error != simdjson::SUCCESS) {
    return Error(ErrorKind::kInvalid, std::string("is no JSON: ") + simdjson::error_message(error));
  }
  return JsonDocument(std::move(state));
}

JsonView JsonDocument::root() const { return {state_->root, "", &state_->first_error}; }

Result<void> JsonDocument::Finish() const {
  if (state_->first_error) return *state_->first_error;
  return {};
}

}  // namespace gs::kube
