// cluster_load: fills the cluster that bench/cluster/run measures, and shows its ceiling.
//
//   cluster_load nodes COUNT                            nodes, agents' reports and ResourceSlices
//   cluster_load pods PREFIX COUNT SHAPE GPUS SCHEDULER pods and their claims; SHAPE is counted,
//                                                       claim, map or devices
//   cluster_load fill PREFIX COUNT NODES                pods that are bound from the start
//   cluster_load bind PREFIX GPUS                       binds the pods of that prefix:
//   null_binder.h
//
// The server is the one of KUBECONFIG.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "adapters/kube/api/resource.h"
#include "adapters/kube/write/write_request.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "load.h"
#include "null_binder.h"
#include "objects.h"

namespace gs::bench {
namespace {

constexpr kube::Resource kSlices{"resource.k8s.io", "v1", "resourceslices", false};
constexpr kube::Resource kResourceClaims{"resource.k8s.io", "v1", "resourceclaims"};

void Insist(int done, int wanted, const char* what) {
  if (done != wanted) {
    Stop("only " + std::to_string(done) + " of " + std::to_string(wanted) + " " + what +
         " could be written");
  }
}

void MakeNodes(kube::ApiClient& client, int count) {
  const auto make = [&](const kube::Resource& resource, const char* what, auto json) {
    Insist(
        WriteAll(client, count, [&](int i) { return kube::CreateRequest(resource, {}, json(i)); }),
        count, what);
  };
  const auto patch = [&](const kube::Resource& resource, std::string_view subresource,
                         const char* what, auto json) {
    Insist(
        WriteAll(
            client, count,
            [&](int i) {
              return kube::PatchRequest(
                  {.resource = resource, .ns = {}, .name = NodeName(i), .subresource = subresource},
                  kube::PatchKind::kMerge, json(i));
            }),
        count, what);
  };
  make(kube::kNodes, "nodes", NodeJson);
  // Every new node has a taint that only a controller takes off, and that one does not run.
  patch(kube::kNodes, "", "nodes without taints",
        [](int) { return R"({"spec":{"taints":null}})"; });
  make(kube::kNodeStatuses, "reports", ReportJson);
  patch(kube::kNodeStatuses, "status", "states of reports", ReportStatusJson);
  make(kSlices, "ResourceSlices", SliceJson);
}

Shape ShapeOf(const std::string& word) {
  if (word == "counted") return Shape::kCounted;
  if (word == "claim") return Shape::kClaim;
  if (word == "map") return Shape::kMap;
  if (word == "devices") return Shape::kDevices;
  Stop("\"" + word + "\" is no shape");
}

void MakePods(kube::ApiClient& client, const std::string& prefix, int count, const PodAsk& ask) {
  const Namespace ns(kNamespace);
  if (ask.shape == Shape::kClaim) {
    Insist(WriteAll(client, count,
                    [&](int i) {
                      return kube::CreateRequest(kube::kClaims, ns,
                                                 GpuClaimJson(prefix, i, ask.gpus));
                    }),
           count, "GpuClaims");
  }
  if (ask.shape == Shape::kDevices) {
    Insist(WriteAll(client, count,
                    [&](int i) {
                      return kube::CreateRequest(kResourceClaims, ns,
                                                 ResourceClaimJson(prefix, i, ask.gpus));
                    }),
           count, "ResourceClaims");
  }
  Insist(WriteAll(
             client, count,
             [&](int i) { return kube::CreateRequest(kube::kPods, ns, PodJson(prefix, i, ask)); }),
         count, "pods");
}

void FillWithPods(kube::ApiClient& client, const std::string& prefix, int count, int nodes) {
  Insist(WriteAll(client, count,
                  [&](int i) {
                    return kube::CreateRequest(kube::kPods, Namespace(kNamespace),
                                               BoundPodJson(prefix, i, i % nodes));
                  }),
         count, "pods");
}

int Run(const std::vector<std::string>& args) {
  const std::string verb = args.empty() ? "" : args[0];
  const runtime::SystemClock clock;
  runtime::IoThreads threads(2);
  const auto client = OpenClient(threads, clock, 64);
  const auto start = std::chrono::steady_clock::now();
  if (verb == "nodes" && args.size() == 2) {
    MakeNodes(*client, Number(args[1]));
  } else if (verb == "pods" && args.size() == 6) {
    MakePods(*client, args[1], Number(args[2]),
             {.shape = ShapeOf(args[3]), .gpus = Number(args[4]), .scheduler = args[5]});
  } else if (verb == "fill" && args.size() == 4) {
    FillWithPods(*client, args[1], Number(args[2]), Number(args[3]));
  } else if (verb == "bind" && args.size() == 3) {
    Connect(*client, 128);
    BindAll(threads, clock, *client, args[1], Number(args[2]));
    return 0;
  } else {
    Stop("see the head of cluster_load.cc");
  }
  std::cout << "written in " << SecondsSince(start) << " s\n";
  return 0;
}

}  // namespace
}  // namespace gs::bench

int main(int argc, char** argv) {
  return gs::bench::Run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
