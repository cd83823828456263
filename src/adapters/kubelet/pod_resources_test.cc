#include "adapters/kubelet/pod_resources.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <pod_resources.grpc.pb.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

namespace gs::kubelet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A kubelet that answers what it is told to.
class FakeKubelet final : public v1::PodResourcesLister::Service {
 public:
  grpc::Status List(grpc::ServerContext* context, const v1::ListPodResourcesRequest*,
                    v1::ListPodResourcesResponse* answer) override {
    while (hangs && !context->IsCancelled()) usleep(1000);
    if (refuses) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "asked too often"};
    *answer = listed;
    return grpc::Status::OK;
  }

  void Give(const std::string& pod, const std::string& resource,
            const std::vector<std::string>& ids) {
    auto* entry = listed.add_pod_resources();
    entry->set_namespace_("team");
    entry->set_name(pod);
    auto* devices = entry->add_containers()->add_devices();
    devices->set_resource_name(resource);
    for (const std::string& id : ids) devices->add_device_ids(id);
  }

  v1::ListPodResourcesResponse listed;
  std::atomic<bool> hangs = false;
  std::atomic<bool> refuses = false;
};

class PodResourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/pod-resources-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    socket_ = folder_ / "kubelet.sock";
  }
  void TearDown() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }
  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket_.string(), grpc::InsecureServerCredentials());
    builder.RegisterService(&kubelet_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void Stop() {
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + seconds(5));
    server_.reset();
  }

  std::filesystem::path folder_;
  std::filesystem::path socket_;
  FakeKubelet kubelet_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(PodResourcesTest, TellsTheGpusOfEachPod) {
  kubelet_.Give("b", "nvidia.com/gpu", {"GPU-1", "GPU-2"});
  kubelet_.Give("a", "amd.com/gpu", {"0000:03:00.0"});
  kubelet_.Give("a", "vendor.com/nic", {"0"});
  kubelet_.Give("b", "nvidia.com/gpu.shared", {"GPU-3::1"});
  kubelet_.Give("c", "vendor.com/nic", {"1"});
  Start();
  PodResources resources(socket_);
  const auto held = resources.List(seconds(30));
  ASSERT_TRUE(held.ok()) << held.error();
  EXPECT_THAT(
      *held,
      ElementsAre(agent::Held{Namespace("team"), PodName("a"), {"0000:03:00.0"}},
                  agent::Held{Namespace("team"), PodName("b"), {"GPU-1", "GPU-2", "GPU-3::1"}}));
}

TEST_F(PodResourcesTest, AKubeletThatIsAwayIsFoundAgain) {
  PodResources resources(socket_);
  const auto none = resources.List(seconds(30));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(ToString(none.error()), HasSubstr(socket_.string()));
  Start();
  const auto deadline = std::chrono::steady_clock::now() + seconds(60);
  auto held = resources.List(seconds(30));
  while (!held && std::chrono::steady_clock::now() < deadline) held = resources.List(seconds(30));
  ASSERT_TRUE(held.ok()) << held.error();
  EXPECT_THAT(*held, IsEmpty());
}

TEST_F(PodResourcesTest, AKubeletThatHangsIsGivenUp) {
  kubelet_.hangs = true;
  Start();
  PodResources resources(socket_);
  const auto held = resources.List(milliseconds(200));
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().kind(), ErrorKind::kUnavailable);
}

TEST_F(PodResourcesTest, ARefusalSaysWhatTheKubeletSays) {
  kubelet_.refuses = true;
  Start();
  PodResources resources(socket_);
  const auto held = resources.List(seconds(30));
  ASSERT_FALSE(held.ok());
  EXPECT_THAT(ToString(held.error()), HasSubstr("asked too often"));
}

}  // namespace
}  // namespace gs::kubelet
