#include "adapters/json/parse.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <exception>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"

namespace gs::json {
namespace {

using boost::json::error_code;
using boost::json::string_view;

// The keys of one object. Few are compared one by one, which is quicker than to sort them in.
class Keys {
 public:
  // False: it is there already.
  [[nodiscard]] bool Add(const std::string& key) {
    if (!many_.empty()) return many_.insert(key).second;
    if (std::find(few_.begin(), few_.end(), key) != few_.end()) return false;
    few_.push_back(key);
    if (few_.size() == kFew) many_.insert(few_.begin(), few_.end());
    return true;
  }

 private:
  static constexpr std::size_t kFew = 32;

  std::vector<std::string> few_;
  std::unordered_set<std::string> many_;  // all of them, once they are many
};

// Receives the parser's events, builds the value and remembers the keys of every open object.
class TreeBuilder {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the library reads these names.
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  // NOLINTEND(readability-identifier-naming)

  TreeBuilder() { stack_.reset(); }

  [[nodiscard]] boost::json::value Take() { return stack_.release(); }
  // Why the builder itself stopped the parser; empty if it did not.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) {
    stack_.push_array(size);
    return true;
  }
  bool on_object_begin(error_code&) {
    open_objects_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t size, error_code&) {
    open_objects_.pop_back();
    stack_.push_object(size);
    return true;
  }

  bool on_key_part(string_view part, std::size_t, error_code&) {
    key_.append(part.data(), part.size());
    stack_.push_chars(part);
    return true;
  }
  bool on_key(string_view part, std::size_t, error_code& error) {
    key_.append(part.data(), part.size());
    if (!open_objects_.back().Add(key_)) {
      return Refuse("the key " + Quoted(key_) + " appears twice in one object", error);
    }
    key_.clear();
    stack_.push_key(part);
    return true;
  }

  bool on_string_part(string_view part, std::size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(string_view part, std::size_t, error_code&) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, string_view, error_code&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, string_view, error_code&) {
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double number, string_view, error_code& error) {
    // 1e999 would become infinity, which JSON has no word for.
    if (!std::isfinite(number)) return Refuse("a number beyond the range of a double", error);
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool is_true, error_code&) {
    stack_.push_bool(is_true);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  bool Refuse(std::string why, error_code& error) {
    refusal_ = std::move(why);
    error = boost::json::error::syntax;
    return false;
  }

  boost::json::value_stack stack_;
  std::vector<Keys> open_objects_;
  std::string key_;  // of the member being read
  std::string refusal_;
};

using Parser = boost::json::basic_parser<TreeBuilder>;

Error Refusal(const Parser& parser, error_code error, const Limits& limits) {
  if (const auto& refusal = parser.handler().refusal(); !refusal.empty()) {
    return Error(ErrorKind::kInvalid, refusal);
  }
  if (error == boost::json::error::too_deep) {
    return Error(ErrorKind::kInvalid, "nested deeper than " + std::to_string(limits.max_depth) +
                                          " levels, which is the most that is read");
  }
  return Error(ErrorKind::kInvalid, "not valid JSON: " + error.message());
}

Result<boost::json::value> Run(std::string_view text, const Limits& limits) {
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  Parser parser(options);
  error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (error) return Refusal(parser, error, limits).At(PlaceAt(text, read));
  if (read < text.size()) {
    return Error(ErrorKind::kInvalid, "not valid JSON: more text after the end of the value")
        .At(PlaceAt(text, read));
  }
  return parser.handler().Take();
}

}  // namespace

Result<boost::json::value> ParseJson(std::string_view text, const Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(ErrorKind::kInvalid, "the text has " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(limits.max_bytes) +
                                          " are read");
  }
  try {
    return Run(text, limits);
  } catch (const std::exception& failure) {
    return Error(ErrorKind::kInternal, std::string("reading JSON failed: ") + failure.what());
  }
}

TextPlace PlaceAt(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (const char letter : text.substr(0, offset)) {
    place.column = letter == '\n' ? 1 : place.column + 1;
    if (letter == '\n') ++place.line;
  }
  return place;
}

}  // namespace gs::json
