// The ceiling: the writes of a scheduler that has nothing to decide. Every pod gets the place that
// was chosen for it beforehand, by the same requests over the same client in the same order: named
// in the fence, its Binding, and behind it the Leases of its GPUs.
#pragma once

#include <string_view>

#include "adapters/kube/api/api_client.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"

namespace gs::bench {

// Binds the pods that `cluster_load pods` made with that prefix, and prints the rate.
void BindAll(runtime::IoThreads& threads, const runtime::Clock& clock, kube::ApiClient& client,
             std::string_view prefix, int gpus);

}  // namespace gs::bench
