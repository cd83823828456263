#include "adapters/kube/api/list_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gs::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
  std::vector<std::string> items;
  Result<void> done;
};

// In pieces of so many bytes.
Read ReadIn(ListStream& stream, const std::string& text, std::size_t size) {
  Read read;
  for (std::size_t at = 0; at < text.size() && read.done; at += size) {
    read.done = stream.Append(std::string_view(text).substr(at, size), [&](std::string_view json) {
      read.items.emplace_back(json);
      return Result<void>();
    });
  }
  return read;
}

constexpr const char* kHead = R"({"kind":"GpuClaimList","apiVersion":"gpu.scheduling/v1",)";
constexpr const char* kMeta = R"("metadata":{"resourceVersion":"7"})";

TEST(ListStream, HasItsItemsWhereverItIsCut) {
  const std::string first = R"({"a":"]}\"\\","items":[{"b":[1,{}]}]})";
  const std::string second = R"({"c":{}})";
  const std::string list =
      kHead + std::string(R"("items" : [ )") + first + " ,\n" + second + "]," + kMeta + "}\n";
  for (std::size_t size = 1; size <= list.size(); ++size) {
    ListStream stream;
    const Read read = ReadIn(stream, list, size);
    ASSERT_TRUE(read.done) << size;
    EXPECT_THAT(read.items, ElementsAre(first, second)) << size;
    const auto page = stream.Finish();
    ASSERT_TRUE(page) << page.error();
    EXPECT_EQ(page->resource_version, ResourceVersion("7"));
    EXPECT_THAT(page->items, IsEmpty());
  }
}

TEST(ListStream, MayHaveItsMetadataFirstAndNoItems) {
  for (const std::string items : {R"("items":[])", R"("items":null)"}) {
    ListStream stream;
    const Read read = ReadIn(stream, kHead + std::string(kMeta) + "," + items + "}", 100);
    EXPECT_TRUE(read.done);
    EXPECT_THAT(read.items, IsEmpty());
    EXPECT_TRUE(stream.Finish()) << items;
  }
}

TEST(ListStream, ThatIsCutOffHasNoEnd) {
  const std::string list = kHead + std::string(R"("items":[{"a":1},{"b":2}],)") + kMeta + "}";
  for (std::size_t size = 0; size < list.size(); ++size) {
    ListStream stream;
    (void)ReadIn(stream, list.substr(0, size), 100);
    EXPECT_FALSE(stream.Finish()) << list.substr(0, size);
  }
}

TEST(ListStream, OfSomethingElseIsRefused) {
  ListStream numbers;
  const Read read = ReadIn(numbers, kHead + std::string(R"("items":[1]})"), 100);
  ASSERT_FALSE(read.done);
  EXPECT_THAT(ToString(read.done.error()), HasSubstr("items: expected a list of objects"));
  ListStream no_list;
  EXPECT_TRUE(ReadIn(no_list, R"({"kind":"Status","message":"\"items\":["})", 3).done);
  EXPECT_FALSE(no_list.Finish());
}

TEST(ListStream, EndsWhereAnItemIsNotTaken) {
  ListStream stream;
  const auto done = stream.Append(kHead + std::string(R"("items":[{},{}])"), [](std::string_view) {
    return Result<void>(Error(ErrorKind::kInvalid, "no"));
  });
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace gs::kube
