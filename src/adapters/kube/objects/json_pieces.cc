#include "adapters/kube/objects/json_pieces.h"

#include <simdjson.h>

#include <algorithm>

#include "base/text.h"

namespace gs::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

constexpr std::string_view kEmptyList = "[]";
// Stands behind the text, so that the parser, which trusts that brackets match, finds an end that
// nothing can take for its own however the text is cut off.
constexpr std::string_view kEndMark = " 0 0{}";
// A thread that once read a huge page does not hold on to its memory.
constexpr std::size_t kMaxKeptBytes = std::size_t{1} << 20;

}  // namespace

// Walks the first level of the text with a parser that is lazy below it.
class JsonSplitter {
 public:
  error_code Split(std::string_view text, std::string_view list, JsonPieces& pieces) {
    text_ = text;
    buffer_.reserve(text.size() + kEndMark.size() + simdjson::SIMDJSON_PADDING);
    buffer_.assign(text).append(kEndMark);
    ondemand::document document;
    if (const auto error = parser_.iterate(buffer_).get(document)) return error;
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    const error_code error = SplitObject(document, object, list, pieces);
    return error != simdjson::SUCCESS ? error : CheckEnd(document);
  }

  [[nodiscard]] bool is_large() const { return buffer_.capacity() > kMaxKeptBytes; }

 private:
  error_code SplitObject(ondemand::document& document, ondemand::object& object,
                         std::string_view list, JsonPieces& pieces) {
    const char* value_start = nullptr;  // of the member before
    const auto finish_member = [&](const char* next) {
      std::string_view& text = pieces.members_.back().text;
      if (text.data() != kEmptyList.data()) text = Piece(value_start, next);
    };
    bool is_list_met = list.empty();
    for (auto result : object) {
      ondemand::field field;
      if (const auto error = std::move(result).get(field)) return error;
      if (value_start != nullptr) finish_member(field.key().raw() - 1);
      std::string_view name;
      if (const auto error = field.unescaped_key().get(name)) return error;
      value_start = field.value().raw_json_token().data();
      pieces.members_.push_back({.name = std::string(name), .text = {}});
      if (is_list_met || name != list) continue;
      is_list_met = true;
      if (*value_start != '[') continue;
      pieces.members_.back().text = kEmptyList;
      if (const auto error = SplitList(document, field.value(), pieces)) return error;
    }
    if (value_start == nullptr) return simdjson::SUCCESS;
    const char* after = nullptr;
    if (const auto error = document.current_location().get(after)) return error;
    finish_member(after);
    return simdjson::SUCCESS;
  }

  error_code SplitList(ondemand::document& document, ondemand::value& list, JsonPieces& pieces) {
    ondemand::array array;
    if (const auto error = list.get_array().get(array)) return error;
    const char* item_start = nullptr;  // of the item before
    for (auto result : array) {
      ondemand::value item;
      if (const auto error = std::move(result).get(item)) return error;
      const char* start = item.raw_json_token().data();
      if (item_start != nullptr) pieces.items_.push_back(Piece(item_start, start));
      item_start = start;
    }
    if (item_start == nullptr) return simdjson::SUCCESS;
    const char* after = nullptr;
    if (const auto error = document.current_location().get(after)) return error;
    pieces.items_.push_back(Piece(item_start, after));
    return simdjson::SUCCESS;
  }

  // The value that begins there. Before what follows it stands one comma or closing bracket, which
  // the parser has seen.
  [[nodiscard]] std::string_view Piece(const char* start, const char* next) const {
    const auto begin = static_cast<std::size_t>(start - buffer_.data());
    const auto end = static_cast<std::size_t>(next - buffer_.data());
    std::string_view piece = text::Trim(text_.substr(begin, end - begin));
    piece.remove_suffix(1);
    return text::Trim(piece);
  }

  // Nothing follows the object.
  error_code CheckEnd(ondemand::document& document) {
    const char* after = nullptr;
    if (const auto error = document.current_location().get(after)) return error;
    const bool is_end = after == buffer_.data() + text_.size() + 1;
    return is_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
  }

  ondemand::parser parser_;
  std::string buffer_;
  std::string_view text_;
};

namespace {

error_code SplitWithKeptParser(std::string_view text, std::string_view list, JsonPieces& pieces) {
  thread_local std::unique_ptr<JsonSplitter> splitter;
  if (!splitter) splitter = std::make_unique<JsonSplitter>();
  const error_code error = splitter->Split(text, list, pieces);
  if (splitter->is_large()) splitter.reset();
  return error;
}

// What is wrong with a text that could not be split, in the words that a document has for it.
Error RefusalOf(std::string_view text, error_code error) {
  const auto document = JsonDocument::Parse(text);
  if (!document) return document.error();
  (void)document->root().Field("");
  if (auto done = document->Finish(); !done) return std::move(done).error();
  return {ErrorKind::kInvalid, std::string("is no JSON: ") + simdjson::error_message(error)};
}

}  // namespace

Result<JsonPieces> JsonPieces::Split(std::string_view text, std::string_view list) {
  auto nothing = JsonDocument::Parse("{}");
  if (!nothing) return std::move(nothing).error();
  JsonPieces pieces(*std::move(nothing));
  const error_code error = SplitWithKeptParser(text, list, pieces);
  if (error != simdjson::SUCCESS) return RefusalOf(text, error);
  if (auto done = pieces.ParseMembers(); !done) return std::move(done).error();
  return pieces;
}

Result<void> JsonPieces::ParseMembers() {
  documents_.reserve(members_.size());
  for (const Member& member : members_) {
    auto document = JsonDocument::Parse(member.text, member.name);
    if (!document) return std::move(document).error();
    documents_.push_back(*std::move(document));
  }
  return {};
}

std::size_t JsonPieces::Find(std::string_view name) const {
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [&](const Member& each) { return each.name == name; });
  return static_cast<std::size_t>(member - members_.begin());
}

JsonView JsonPieces::Field(std::string_view name) const {
  const std::size_t number = Find(name);
  return number < members_.size() ? documents_[number].root() : nothing_.root().Field(name);
}

std::string_view JsonPieces::TextOf(std::string_view name) const {
  const std::size_t number = Find(name);
  return number < members_.size() ? members_[number].text : std::string_view();
}

Result<void> JsonPieces::Finish() const {
  if (auto done = nothing_.Finish(); !done) return done;
  for (const JsonDocument& document : documents_) {
    if (auto done = document.Finish(); !done) return done;
  }
  return {};
}

}  // namespace gs::kube
