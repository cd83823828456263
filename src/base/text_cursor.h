// TextCursor: a reading position in a text that knows its line and column, for parsers that tell
// people where a mistake is. It only looks and moves; what is legal is the parser's business. The
// text must outlive the cursor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gs {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] bool at_line_end() const { return at_end() || text_[position_] == '\n'; }
  // The next character, '\0' at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[position_]; }
  [[nodiscard]] TextPlace place() const { return place_; }

  // Moves past `wanted` if it is the next character.
  bool Take(char wanted);

  // Moves past the longest run of characters that belong, and returns it.
  template <class Belongs>
  std::string_view TakeWhile(Belongs belongs) {
    const std::size_t begin = position_;
    while (!at_end() && belongs(text_[position_])) Advance();
    return text_.substr(begin, position_ - begin);
  }

  // Moves past blanks, tabs and carriage returns, never past the end of a line.
  void SkipBlanks();
  // Moves to the end of the line, in front of its '\n'.
  void SkipToLineEnd();

  // "expected <what>, found ':'" at the current place.
  [[nodiscard]] Error Expected(std::string_view what) const;

 private:
  // Requires: not at the end.
  void Advance();
  [[nodiscard]] std::string DescribeNext() const;

  std::string_view text_;
  std::size_t position_ = 0;
  TextPlace place_;
};

}  // namespace gs
