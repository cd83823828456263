// The watcher against a real API server: GS_TEST_PLANE names the folder of a running plane of
// tools/cluster; without it, all is skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"

namespace gs::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = std::map<std::string, std::string>;

constexpr Resource kNamespaces{"", "v1", "namespaces", false};
constexpr Resource kServiceAccounts{"", "v1", "serviceaccounts"};
constexpr Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions", false};

// What was told, applied in its order.
class View {
 public:
  void Apply(const std::vector<model::Event>& events) {
    const runtime::MutexLock lock(mutex_);
    for (const auto& event : events) {
      std::visit([this](const auto& told) { Apply(told); }, event);
    }
    changed_.NotifyAll();
  }
  void AddProblem(const Error& problem) {
    const runtime::MutexLock lock(mutex_);
    problems += ToString(problem) + "\n";
  }
  // Whether it comes to that within a minute.
  bool Becomes(const std::function<bool(const View&)>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    const runtime::MutexLock lock(mutex_);
    while (!is_so(*this)) {
      if (!changed_.WaitUntil(mutex_, deadline)) return is_so(*this);
    }
    return true;
  }

  // Only inside of Becomes.
  State objects;          // name to version, label or nothing, by kind
  int reached_count = 0;  // how often the view was complete
  int missing_count = 0;  // how often the kind was missing
  std::string problems;

 private:
  void Apply(const model::PodSeen& seen) {
    objects[seen.pod.ref.name.text()] =
        seen.pod.ref.uid.text() + "@" + seen.pod.resource_version.text();
  }
  void Apply(const model::PodGone& gone) { objects.erase(gone.pod.name.text()); }
  void Apply(const model::NodeSeen& seen) {
    objects[seen.node.name.text()] = seen.node.is_unschedulable ? "cordoned" : "";
  }
  void Apply(const model::NodeGone& gone) { objects.erase(gone.node.text()); }
  void Apply(const model::ClaimSeen& seen) {
    objects[seen.claim.name.text()] = std::to_string(seen.claim.devices.count);
  }
  void Apply(const model::ClaimGone& gone) { objects.erase(gone.name.text()); }
  void Apply(const model::ViewReached&) { ++reached_count; }
  void Apply(const model::KindMissing&) { ++missing_count; }
  template <class Other>
  void Apply(const Other&) {}

  runtime::Mutex mutex_;
  runtime::Condition changed_;
};

bool IsWithoutProblems(const View& view) {
  EXPECT_EQ(view.problems, "");
  return view.problems.empty();
}

bool IsSynced(const View& view) { return view.reached_count > 0; }

class WatcherClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* plane = std::getenv("GS_TEST_PLANE");
    if (plane == nullptr) GTEST_SKIP() << "GS_TEST_PLANE names no plane";
    const auto settings =
        FindSettings({.kubeconfig = std::filesystem::path(plane) / "admin.kubeconfig"});
    ASSERT_TRUE(settings.ok()) << settings.error();
    auto client = ApiClient::Create(threads_, *settings,
                                    MakeLoginSource(*settings, ReadFile, RunProcess), clock_);
    ASSERT_TRUE(client.ok()) << client.error();
    client_ = *std::move(client);
    name_ = "watch-" + std::to_string(getpid()) + "-" +
            std::to_string(clock_.WallTime().time_since_epoch().count());
    ns_ = Namespace(name_);
    Create(kNamespaces, R"({"metadata":{"name":")" + name_ + R"("}})");
    // Pods need it, and the controller that makes it may be late.
    (void)Send(http::Method::kPost, CollectionPath(kServiceAccounts, ns_),
               R"({"metadata":{"name":"default"}})");
  }
  void TearDown() override {
    watcher_.reset();
    if (client_) Delete(kNamespaces, name_);
  }

  int Send(http::Method method, std::string target, std::string body) {
    const std::string type =
        method == http::Method::kPatch ? "application/merge-patch+json" : "application/json";
    const auto outcome = client_->Send({.method = method,
                                        .target = std::move(target),
                                        .headers = {{"Content-Type", type}},
                                        .body = std::move(body)});
    if (const Error* error = http::ErrorOf(outcome)) ADD_FAILURE() << *error;
    const auto* response = std::get_if<http::Response>(&outcome);
    return response == nullptr ? 0 : response->status;
  }
  [[nodiscard]] Namespace NamespaceOf(const Resource& resource) const {
    return resource.is_namespaced ? ns_ : Namespace();
  }
  void Create(const Resource& resource, std::string body) {
    EXPECT_EQ(
        Send(http::Method::kPost, CollectionPath(resource, NamespaceOf(resource)), std::move(body)),
        201);
  }
  void Change(const Resource& resource, const std::string& name, std::string patch) {
    EXPECT_EQ(Send(http::Method::kPatch, ObjectPath(resource, NamespaceOf(resource), name),
                   std::move(patch)),
              200);
  }
  void Delete(const Resource& resource, const std::string& name) {
    EXPECT_EQ(Send(http::Method::kDelete, ObjectPath(resource, NamespaceOf(resource), name),
                   R"({"gracePeriodSeconds":0})"),
              200);
  }
  void CreatePod(const std::string& name) {
    Create(kPods, R"({"metadata":{"name":")" + name +
                      R"("},"spec":{"schedulerName":"nobody","automountServiceAccountToken":false,)"
                      R"("containers":[{"name":"main","image":"none"}]}})");
  }
  void CreateNode(const std::string& name) {
    Create(kNodes, R"({"metadata":{"name":")" + name + R"("}})");
  }

  // The pods of our namespace as the server has them.
  State ListPods() {
    const auto outcome = client_->Send(ListRequest({.resource = kPods, .ns = ns_}, 500, ""));
    const auto* response = std::get_if<http::Response>(&outcome);
    if (response == nullptr) return {{"no answer", ""}};
    State state;
    const auto page = ParseListPage(response->body);
    for (const std::string_view item : page->items) {
      const auto meta = ReadObjectMeta(item);
      state[meta->key.name] = meta->uid + "@" + meta->resource_version.text();
    }
    return state;
  }

  void Watch(WatchedKind kind) {
    WatcherOptions options;
    options.page_size = 2;
    options.watch_timeout = seconds(1);  // so that watches end and go on all the time
    options.times.missing_period = milliseconds(100);
    watcher_.emplace(
        *client_, clock_, std::move(kind), options,
        [this](const std::vector<model::Event>& events) { view_.Apply(events); },
        [this](const Error& problem) { view_.AddProblem(problem); });
  }

  View view_;
  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<ApiClient> client_;
  std::string name_;  // of this test's things
  Namespace ns_;
  std::optional<Watcher> watcher_;
};

TEST_F(WatcherClusterTest, PodsAreToldAsTheyComeChangeAndGo) {
  for (const char* name : {"a", "b", "c"}) CreatePod(name);
  WatchedKind kind = Pods();
  kind.collection.ns = ns_;
  Watch(std::move(kind));
  EXPECT_TRUE(view_.Becomes(IsSynced));
  EXPECT_TRUE(view_.Becomes([](const View& view) { return view.objects.size() == 3; }));
  for (int round = 0; round < 10; ++round) {
    CreatePod("d");
    Change(kPods, "a", R"({"metadata":{"labels":{"round":")" + std::to_string(round) + "\"}}}");
    Delete(kPods, "b");
    CreatePod("b");
    Delete(kPods, "d");
  }
  Delete(kPods, "c");
  const State end = ListPods();
  EXPECT_EQ(end.size(), 2U);
  EXPECT_TRUE(view_.Becomes([&](const View& view) { return view.objects == end; }));
  EXPECT_TRUE(view_.Becomes(IsWithoutProblems));
}

TEST_F(WatcherClusterTest, NodesAreToldAsTheyComeChangeAndGo) {
  const std::string first = name_ + "-0";
  const std::string second = name_ + "-1";
  CreateNode(first);
  Watch(Nodes());
  EXPECT_TRUE(view_.Becomes([&](const View& view) { return view.objects.contains(first); }));
  CreateNode(second);
  Change(kNodes, first, R"({"spec":{"unschedulable":true}})");
  EXPECT_TRUE(view_.Becomes([&](const View& view) {
    return view.objects.contains(second) && view.objects.at(first) == "cordoned";
  }));
  Delete(kNodes, first);
  Delete(kNodes, second);
  EXPECT_TRUE(view_.Becomes([&](const View& view) {
    return !view.objects.contains(first) && !view.objects.contains(second);
  }));
  EXPECT_TRUE(view_.Becomes(IsWithoutProblems));
}

// While a kind is being installed the server also refuses to serve it for other reasons than 404.
TEST_F(WatcherClusterTest, AKindThatIsInstalledLaterIsToldFromThenOn) {
  const std::string group = name_ + ".example";
  const Resource resource{group, "v1", "gpuclaims"};
  WatchedKind kind = Claims();
  kind.collection = {.resource = resource, .ns = ns_};
  Watch(std::move(kind));
  EXPECT_TRUE(view_.Becomes([](const View& view) { return view.missing_count == 1; }));
  Create(kDefinitions,
         R"({"metadata":{"name":"gpuclaims.)" + group + R"("},"spec":{"group":")" + group +
             R"(","scope":"Namespaced","names":{"plural":"gpuclaims","kind":"GpuClaim"},)"
             R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
             R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  EXPECT_TRUE(view_.Becomes(IsSynced));
  Create(resource, R"({"apiVersion":")" + group +
                       R"(/v1","kind":"GpuClaim","metadata":{"name":"pair"},)"
                       R"("spec":{"devices":{"count":2}}})");
  EXPECT_TRUE(view_.Becomes([](const View& view) { return view.objects == State{{"pair", "2"}}; }));
  Delete(kDefinitions, "gpuclaims." + group);
  EXPECT_TRUE(view_.Becomes(
      [](const View& view) { return view.missing_count == 2 && view.objects.empty(); }));
}

}  // namespace
}  // namespace gs::kube
