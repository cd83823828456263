#include "base/text_cursor.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace gs {
namespace {

TEST(TextCursor, CountsLinesAndColumnsFromOne) {
  TextCursor cursor("ab\nc");
  EXPECT_EQ(cursor.place(), (TextPlace{1, 1}));
  EXPECT_TRUE(cursor.Take('a'));
  EXPECT_EQ(cursor.place(), (TextPlace{1, 2}));
  EXPECT_TRUE(cursor.Take('b'));
  EXPECT_TRUE(cursor.at_line_end());
  EXPECT_FALSE(cursor.at_end());
  EXPECT_TRUE(cursor.Take('\n'));
  EXPECT_EQ(cursor.place(), (TextPlace{2, 1}));
  EXPECT_EQ(cursor.peek(), 'c');
}

TEST(TextCursor, StaysWhereItIsWhenTheCharacterIsAnother) {
  TextCursor cursor("a");
  EXPECT_FALSE(cursor.Take('b'));
  EXPECT_EQ(cursor.place(), (TextPlace{1, 1}));
}

TEST(TextCursor, AtTheEndTakesNothing) {
  TextCursor cursor("");
  EXPECT_TRUE(cursor.at_end());
  EXPECT_TRUE(cursor.at_line_end());
  EXPECT_EQ(cursor.peek(), '\0');
  EXPECT_FALSE(cursor.Take('\0'));
  EXPECT_EQ(cursor.TakeWhile([](char) { return true; }), "");
}

TEST(TextCursor, TakesTheLongestRun) {
  TextCursor cursor("123x");
  EXPECT_EQ(cursor.TakeWhile(text::IsDigit), "123");
  EXPECT_EQ(cursor.peek(), 'x');
}

TEST(TextCursor, SkipsBlanksButNoLineEnd) {
  TextCursor cursor(" \t\r\n x");
  cursor.SkipBlanks();
  EXPECT_EQ(cursor.peek(), '\n');
  cursor.SkipToLineEnd();
  EXPECT_EQ(cursor.place(), (TextPlace{1, 4}));
}

TEST(TextCursor, SaysWhatItFoundInstead) {
  EXPECT_EQ(ToString(TextCursor("x").Expected("'='")), "line 1, column 1: expected '=', found 'x'");
  EXPECT_EQ(TextCursor("").Expected("'='").message(), "expected '=', found the end of the text");
  EXPECT_EQ(TextCursor("\n").Expected("'='").message(), "expected '=', found the end of the line");
  EXPECT_EQ(TextCursor("\x9f").Expected("'='").message(), "expected '=', found byte 0x9f");
}

}  // namespace
}  // namespace gs
