#include "adapters/kube/api/list_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire_test::ListEnvelope;
using wire_test::Text;
using wire_test::Varint;

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

// Two pods of a list in version 7.
std::string ListInProtobuf(const std::string& kind = "PodList") {
  return ListEnvelope("v1", kind, Text(2, "7"),
                      {Text(1, Text(1, "a") + Text(3, "team")), Text(1, Text(1, "b"))}) +
         Text(3, "") + Text(4, "");
}

TEST(ListStream, InProtobufHasItsItemsWhereverItIsCut) {
  const std::string list = ListInProtobuf();
  for (std::size_t size = 1; size <= list.size(); ++size) {
    ListStream stream;
    const Read read = ReadIn(stream, list, size);
    ASSERT_TRUE(read.done) << size << ": " << read.done.error();
    EXPECT_THAT(read.items, ElementsAre(R"({"metadata":{"name":"a","namespace":"team"}})",
                                        R"({"metadata":{"name":"b"}})"))
        << size;
    const auto page = stream.Finish();
    ASSERT_TRUE(page) << page.error();
    EXPECT_EQ(page->resource_version, ResourceVersion("7"));
    EXPECT_EQ(page->continue_token, "");
  }
}

TEST(ListStream, InProtobufKnowsItsVersionBeforeItsItems) {
  ListStream stream;
  EXPECT_EQ(stream.version(), ResourceVersion());
  const auto done = stream.Append(ListInProtobuf(), [&](std::string_view) {
    EXPECT_EQ(stream.version(), ResourceVersion("7"));
    return Result<void>();
  });
  EXPECT_TRUE(done);
}

TEST(ListStream, InProtobufThatIsCutOffHasNoEnd) {
  const std::string list = ListEnvelope("v1", "PodList", Text(2, "7"), {Text(1, Text(1, "a"))});
  for (std::size_t size = 1; size < list.size(); ++size) {
    ListStream stream;
    EXPECT_TRUE(ReadIn(stream, list.substr(0, size), 100).done) << size;
    EXPECT_FALSE(stream.Finish()) << size;
  }
}

TEST(ListStream, InProtobufMayBeEmpty) {
  ListStream stream;
  EXPECT_TRUE(ReadIn(stream, ListEnvelope("v1", "NodeList", Text(2, "7"), {}), 5).done);
  EXPECT_TRUE(stream.Finish());
}

TEST(ListStream, InProtobufThatMakesNoSenseIsRefused) {
  const std::string item = Text(1, Text(1, "a"));
  const std::string magic("k8s\0", 4);
  for (const std::string& list :
       {std::string("k8s!") + item, ListEnvelope("v1", "Pod", Text(2, "7"), {item}),
        ListEnvelope("v9", "PodList", Text(2, "7"), {item}),
        ListEnvelope("v1", "PodList", "", {item}),                  // without a version
        magic + Text(2, item),                                      // of an unknown kind
        ListInProtobuf() + Text(2, item),                           // two lists
        magic + "\x0b",                                             // a type of field that is none
        ListEnvelope("v1", "PodList", Text(2, "7"), {"\x0a\x7f"}),  // an item that is cut off
        magic + std::string(11, '\xff'),                            // a number without an end
        magic + "\x0a" + Varint(std::uint64_t{1} << 40U)}) {        // longer than any object
    ListStream stream;
    EXPECT_FALSE(ReadIn(stream, list, 3).done) << list;
  }
}

}  // namespace
}  // namespace gs::kube
