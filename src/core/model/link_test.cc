#include "core/model/link.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(LinkMatrix, IsSymmetric) {
  LinkMatrix links(3);
  const Link link{LinkKind::kNvLink, 2, PcieClass::kPix, 100};
  links.Set(0, 2, link);
  EXPECT_EQ(links.At(2, 0), link);
  EXPECT_EQ(links.At(0, 1), Link{});
}

TEST(LinkMatrix, CopiesAreChangedEachForItself) {
  LinkMatrix links(2);
  LinkMatrix copy = links;
  EXPECT_EQ(copy, links);
  copy.Set(0, 1, {.kind = LinkKind::kNvLink, .count = 1});
  EXPECT_EQ(links.At(0, 1), Link{});
  EXPECT_NE(copy, links);
  EXPECT_EQ(LinkMatrix(), LinkMatrix(0));
  EXPECT_NE(LinkMatrix(), links);
}

TEST(Link, NamesAreReadBackWhateverTheirCase) {
  for (const auto kind :
       {LinkKind::kNone, LinkKind::kNvLink, LinkKind::kNvSwitch, LinkKind::kXgmi}) {
    EXPECT_EQ(ParseLinkKind(ToString(kind)), kind);
  }
  EXPECT_EQ(ParseLinkKind("nvlink"), LinkKind::kNvLink);
  EXPECT_EQ(ParseLinkKind("carrier pigeon"), std::nullopt);
  EXPECT_EQ(ParsePcieClass("pix"), PcieClass::kPix);
}

}  // namespace
}  // namespace gs::model
