#include "base/gpu_uuid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace gs {
namespace {

// Mostly such UUIDs, some of which are spoilt in one place.
rc::Gen<std::string> AnyText() {
  return rc::gen::exec([] {
    std::string text = "GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2";
    for (int changes = *rc::gen::inRange(0, 40); changes > 0; --changes) {
      char& letter = text[*rc::gen::inRange<std::size_t>(4, text.size())];
      if (letter != '-') letter = *rc::gen::elementOf(std::string("0123456789abcdef"));
    }
    if (*rc::gen::inRange(0, 3) == 0) {
      text[*rc::gen::inRange<std::size_t>(0, text.size())] =
          *rc::gen::elementOf(std::string("-0aFgxG"));
    }
    if (*rc::gen::inRange(0, 5) == 0) text = *rc::gen::arbitrary<std::string>();
    return text;
  });
}

RC_GTEST_PROP(GpuUuid, ReadsAndComparesAsItsText, ()) {
  const std::string one = *AnyText();
  const std::string other = *AnyText();
  const GpuUuid a(one);
  const GpuUuid b(other);
  RC_ASSERT(a.text() == one);
  RC_ASSERT(a.empty() == one.empty());
  RC_ASSERT((a == b) == (one == other));
  RC_ASSERT((a <=> b) == (one <=> other));
}

TEST(GpuUuid, TakesAnyText) {
  for (const std::string text :
       {"", "GPU-0", "GPU-00000000-0000-0000-0000-000000000000",
        "GPU-8F2D6C1E-3B7A-4C59-9E04-5D1B7A90C3F2", "MIG-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2",
        "GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2", "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff"}) {
    EXPECT_EQ(GpuUuid(text).text(), text);
    EXPECT_EQ(GpuUuid(text).empty(), text.empty());
  }
  EXPECT_TRUE(GpuUuid().empty());
  EXPECT_EQ(GpuUuid(), GpuUuid(""));
}

TEST(GpuUuid, IsPrintedAsItsText) {
  std::ostringstream out;
  out << GpuUuid("GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2");
  EXPECT_EQ(out.str(), "GPU-8f2d6c1e-3b7a-4c59-9e04-5d1b7a90c3f2");
}

}  // namespace
}  // namespace gs
