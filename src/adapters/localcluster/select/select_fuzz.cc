// Any bytes as selectors: they are refused with a sentence, or read, and what a label selector
// prints is read as the same selector.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "adapters/json/parse.h"
#include "adapters/localcluster/select/field_selector.h"
#include "adapters/localcluster/select/label_selector.h"
#include "base/check.h"

using gs::localcluster::LabelSelector;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::map<std::string, std::string> labels{{"a", "b"}, {"c", "1"}};
  if (const auto selector = LabelSelector::Parse(text)) {
    const auto again = LabelSelector::Parse(ToString(*selector));
    GS_CHECK(again.ok() && *again == *selector);
    GS_CHECK(again->Matches(labels) == selector->Matches(labels));
  } else {
    GS_CHECK(!selector.error().message().empty());
  }
  const std::string fields[] = {"spec.nodeName"};
  (void)gs::localcluster::ParseFieldSelector(text, {.kind = "Pod", .fields = fields});
  if (const auto object = gs::json::ParseJson(text, {.max_bytes = 1 << 14})) {
    const auto selector = LabelSelector::FromObject(&*object);
    if (selector) (void)selector->Matches(labels);
  }
  return 0;
}
