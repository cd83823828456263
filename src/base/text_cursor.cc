#include "base/text_cursor.h"

namespace gs {

bool TextCursor::Take(char wanted) {
  if (at_end() || text_[position_] != wanted) return false;
  Advance();
  return true;
}

void TextCursor::SkipBlanks() {
  // A carriage return counts as a blank, so files with Windows line ends read like any other.
  TakeWhile([](char next) { return next == ' ' || next == '\t' || next == '\r'; });
}

void TextCursor::SkipToLineEnd() {
  TakeWhile([](char next) { return next != '\n'; });
}

Error TextCursor::Expected(std::string_view what) const {
  return Error(ErrorKind::kInvalid, "expected " + std::string(what) + ", found " + DescribeNext())
      .At(place_);
}

void TextCursor::Advance() {
  if (text_[position_] == '\n') {
    place_ = {place_.line + 1, 1};
  } else {
    ++place_.column;
  }
  ++position_;
}

std::string TextCursor::DescribeNext() const {
  if (at_end()) return "the end of the text";
  const char next = text_[position_];
  if (next == '\n') return "the end of the line";
  if (next >= ' ' && next <= '~') return "'" + std::string(1, next) + "'";
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(next);
  return "byte 0x" + std::string{kHex[byte >> 4U], kHex[byte & 0xFU]};
}

}  // namespace gs
