// Any pod is read from a page in protobuf as from its JSON.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/objects/any_pod_for_test.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/wire/protobuf_for_test.h"

namespace gs::kube {
namespace {

using wire_test::Text;

RC_GTEST_PROP(ProtobufPageProperty, PodsAreReadBack, ()) {
  const std::vector<model::Pod> pods{AnyPod(), AnyPod()};
  std::vector<std::string> items;
  for (const auto& pod : pods) {
    items.push_back(wire_test::Encode(*FindApiType("v1", "Pod"), PodJson(pod)));
  }
  const auto page = ParseListPage(wire_test::ListEnvelope("v1", "PodList", Text(2, "7"), items));
  RC_ASSERT(page.ok());
  RC_ASSERT(page->items.size() == pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto read = DecodePod(page->items[i]);
    RC_ASSERT(read.ok());
    if (!(*read == pods[i])) RC_LOG() << page->items[i];
    RC_ASSERT(*read == pods[i]);
  }
}

}  // namespace
}  // namespace gs::kube
