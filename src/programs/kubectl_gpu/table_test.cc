#include "programs/kubectl_gpu/table.h"

#include <gtest/gtest.h>

#include "programs/kubectl_gpu/paint.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {
namespace {

TEST(Table, AlignsAsKubectlDoesAndEndsNoLineWithBlanks) {
  Table table({"NAME", "POD"});
  table.Add({"a-long-name", ""});
  table.Add({"b", "team/x"});
  EXPECT_EQ(table.Print(),
            "NAME          POD\n"
            "a-long-name\n"
            "b             team/x\n");
}

TEST(Table, ColoursHaveNoWidth) {
  const Paint paint = Paint::ForTerminal();
  Table table({"A", "B"});
  table.Add({Cell("x", paint(Colour::kRed, "x")), "1"});
  EXPECT_EQ(table.Print(),
            "A   B\n"
            "\x1b[31mx\x1b[0m   1\n");
}

TEST(Table, WhatAClusterSaysDoesNotMoveTheCursor) {
  Table table({"A"});
  table.Add({"x\x1b[2Jy\n"});
  EXPECT_EQ(table.Print(), "A\nx?[2Jy?\n");
}

TEST(Paint, LeavesTextAloneWhereThereIsNoTerminal) {
  EXPECT_EQ(Paint()(Colour::kRed, "x"), "x");
  EXPECT_EQ(Paint::ForTerminal()(Colour::kPlain, "x"), "x");
}

TEST(Age, HasItsTwoLargestUnits) {
  using std::chrono::seconds;
  EXPECT_EQ(PrintAge(seconds(0)), "0s");
  EXPECT_EQ(PrintAge(seconds(8)), "8s");
  EXPECT_EQ(PrintAge(seconds(720)), "12m");
  EXPECT_EQ(PrintAge(seconds(3661)), "1h1m");
  EXPECT_EQ(PrintAge(seconds(2 * 86400 + 59)), "2d");
}

}  // namespace
}  // namespace gs::kubectl_gpu
