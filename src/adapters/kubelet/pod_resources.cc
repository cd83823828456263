#include "adapters/kubelet/pod_resources.h"

#include <grpcpp/grpcpp.h>
#include <pod_resources.grpc.pb.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "core/model/gpu_resource.h"

namespace gs::kubelet {
namespace {

constexpr int kMaxAnswerBytes = 16 << 20;      // the kubelet's own limit
constexpr int kMaxReconnectWaitMillis = 5000;  // it may be restarted any time

std::shared_ptr<grpc::Channel> Open(const std::filesystem::path& socket) {
  grpc::ChannelArguments how;
  how.SetMaxReceiveMessageSize(kMaxAnswerBytes);
  how.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  how.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  how.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectWaitMillis);
  return grpc::CreateCustomChannel("unix:" + socket.string(), grpc::InsecureChannelCredentials(),
                                   how);
}

ErrorKind KindOf(grpc::StatusCode code) {
  return code == grpc::StatusCode::UNIMPLEMENTED ? ErrorKind::kUnsupported
                                                 : ErrorKind::kUnavailable;
}

void AddDevices(const v1::PodResources& pod, std::vector<std::string>& devices) {
  for (const auto& container : pod.containers()) {
    for (const auto& given : container.devices()) {
      // Numbers of other devices would be taken for those of GPUs.
      if (!model::IsGpuResource(given.resource_name())) continue;
      devices.insert(devices.end(), given.device_ids().begin(), given.device_ids().end());
    }
  }
}

std::vector<agent::Held> HeldIn(const v1::ListPodResourcesResponse& answer) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> pods;
  for (const auto& pod : answer.pod_resources()) {
    std::vector<std::string> devices;
    AddDevices(pod, devices);
    if (devices.empty()) continue;
    auto& known = pods[{pod.namespace_(), pod.name()}];
    known.insert(known.end(), devices.begin(), devices.end());
  }
  std::vector<agent::Held> held;
  held.reserve(pods.size());
  for (auto& [name, devices] : pods) {
    held.push_back({Namespace(name.first), PodName(name.second), std::move(devices)});
  }
  return held;
}

}  // namespace

struct PodResources::State {
  std::filesystem::path socket;
  std::unique_ptr<v1::PodResourcesLister::Stub> stub;
};

PodResources::PodResources(const std::filesystem::path& socket)
    : state_(std::make_unique<State>(
          State{.socket = socket, .stub = v1::PodResourcesLister::NewStub(Open(socket))})) {}

PodResources::~PodResources() = default;

Result<std::vector<agent::Held>> PodResources::List(Duration timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(timeout));
  v1::ListPodResourcesResponse answer;
  const grpc::Status status = state_->stub->List(&context, {}, &answer);
  if (status.ok()) return HeldIn(answer);
  return Error(KindOf(status.error_code()),
               "the kubelet does not list the devices of pods: " + status.error_message())
      .Within(state_->socket.string());
}

}  // namespace gs::kubelet
