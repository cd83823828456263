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
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/watch/list_once.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/kube/wire/protobuf.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"

namespace gs::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = std::map<std::string, std::string>;

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
      state[meta->key.name.text()] = meta->uid.text() + "@" + meta->resource_version.text();
    }
    return state;
  }

  // What is told of the objects of a kind; how they came is added to forms_.
  std::vector<model::Event> Listed(const WatchedKind& kind, const std::string& accept) {
    const auto send = [&](http::Request request) {
      if (!accept.empty()) request.headers = {{"Accept", accept}};
      auto outcome = client_->Send(std::move(request));
      const auto* response = std::get_if<http::Response>(&outcome);
      const bool is_protobuf = response != nullptr && IsProtobuf(response->body);
      forms_ += is_protobuf ? "protobuf " : "JSON ";
      return outcome;
    };
    auto telling = ListOnce(send, kind);
    EXPECT_TRUE(telling.ok()) << telling.error();
    if (!telling) return {};
    EXPECT_TRUE(telling->problems.empty()) << telling->problems.front();
    std::erase_if(telling->events, [](const model::Event& event) {
      return std::holds_alternative<model::ViewReached>(event);
    });
    return std::move(telling->events);
  }
  // One object, listed as JSON and as protobuf while nobody changes it.
  void ExpectSameInBothForms(WatchedKind kind, const std::string& name) {
    kind.collection.ns = NamespaceOf(kind.collection.resource);
    kind.collection.field_selector = "metadata.name=" + name;
    std::vector<model::Event> before = Listed(kind, "application/json");
    while (true) {
      forms_.clear();
      const auto as_protobuf = Listed(kind, "");
      const auto as_json = Listed(kind, "application/json");
      if (before != as_json) {
        before = as_json;
        continue;
      }
      EXPECT_EQ(forms_, "protobuf JSON ");
      EXPECT_EQ(as_json.size(), 1U) << ToString(kind.kind);
      EXPECT_TRUE(as_protobuf == as_json) << ToString(kind.kind);
      return;
    }
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
  std::string name_;   // of this test's things
  std::string forms_;  // of the answers to lists
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

constexpr const char* kRichPod = R"({"metadata":{"name":"rich","labels":{"app":"x","empty":""},
  "annotations":{"gpu.scheduling/claim":"quad","note":"a \"quoted\"\n\tline \\ 漢"},
  "finalizers":["example.com/f"],
  "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"7","controller":true}]},
  "spec":{"schedulerName":"nobody","automountServiceAccountToken":false,"hostNetwork":true,
  "initContainers":[{"name":"side","image":"none","restartPolicy":"Always",
    "resources":{"requests":{"cpu":"50m"}},"ports":[{"containerPort":7,"hostPort":7}]}],
  "containers":[{"name":"main","image":"none","command":["a"],"args":["--b"],
    "resources":{"limits":{"nvidia.com/gpu":"2","memory":"1.5Gi"},"requests":{"cpu":"1500m"}},
    "env":[{"name":"CUDA_VISIBLE_DEVICES","valueFrom":{"fieldRef":{
      "fieldPath":"metadata.annotations['gpu.scheduling/visible-devices']"}}}],
    "ports":[{"containerPort":80,"hostPort":80,"hostIP":"127.0.0.1","protocol":"UDP"}],
    "livenessProbe":{"httpGet":{"port":"web","path":"/"}},
    "readinessProbe":{"tcpSocket":{"port":80}},
    "volumeMounts":[{"name":"shm","mountPath":"/dev/shm"}]}],
  "volumes":[{"name":"shm","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}},{"name":"e","emptyDir":{}},
    {"name":"p","projected":{"sources":[{"configMap":{"name":"c","items":[{"key":"k","path":"p"}]}}]}},
    {"name":"c","persistentVolumeClaim":{"claimName":"claim"}},
    {"name":"r","rbd":{"monitors":["m1","m2"],"image":"i","readOnly":true}},
    {"name":"m","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],
      "resources":{"requests":{"storage":"1Gi"}}}}}}],
  "nodeSelector":{"a":"b"},"schedulingGates":[{"name":"wait"}],
  "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":0},
    {"operator":"Exists"}],
  "topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
    "labelSelector":{"matchLabels":{"app":"x"}},"matchLabelKeys":["app2"],"minDomains":3,
    "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor"}],
  "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"n","operator":"Gt","values":["3"]}],
       "matchFields":[{"key":"metadata.name","operator":"In","values":["x"]}]}]},
    "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{
      "matchExpressions":[{"key":"z","operator":"DoesNotExist"}]}}]},
   "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"topologyKey":"t","labelSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]},
   "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"topologyKey":"t","labelSelector":{"matchLabels":{"a":"b"}},"namespaceSelector":{}}]}}}})";

constexpr const char* kRichStatus = R"({"status":{"phase":"Running","podIP":"10.0.0.1",
  "nominatedNodeName":"n","startTime":"2026-01-01T00:00:00Z",
  "conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
    "message":"no \"room\"","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"}],
  "containerStatuses":[{"name":"main","image":"i","imageID":"","ready":false,"restartCount":1,
    "state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}},
    "lastState":{"terminated":{"exitCode":0}},"allocatedResources":{"cpu":"3"}}]}})";

// Everything that is listed as protobuf, each kind with all that a decoder reads of it.
TEST_F(WatcherClusterTest, ListsInProtobufTellTheSameAsThoseInJson) {
  Create(kPods, kRichPod);
  EXPECT_EQ(Send(http::Method::kPatch, ObjectPath(kPods, ns_, "rich", "status"), kRichStatus), 200);
  ExpectSameInBothForms(Pods(), "rich");
  EXPECT_EQ(Send(http::Method::kDelete, ObjectPath(kPods, ns_, "rich"), ""), 200);
  ExpectSameInBothForms(Pods(), "rich");  // it is terminating until its finalizer is gone
  Change(kPods, "rich", R"({"metadata":{"finalizers":null}})");

  Create(kNodes, R"({"metadata":{"name":")" + name_ +
                     R"(","labels":{"zone":"a"}},"spec":{"unschedulable":true,"taints":[
      {"key":"k","value":"v","effect":"NoSchedule"},{"key":"l","effect":"NoExecute"}]}})");
  EXPECT_EQ(Send(http::Method::kPatch, ObjectPath(kNodes, {}, name_, "status"),
                 R"({"status":{"capacity":{"cpu":"8","nvidia.com/gpu":"4","memory":"16Gi"},
      "allocatable":{"cpu":"7500m","memory":"15.5Gi","pods":"110","nvidia.com/gpu":"3"},
      "images":[{"names":["i"],"sizeBytes":1}]}})"),
            200);
  ExpectSameInBothForms(Nodes(), name_);
  Delete(kNodes, name_);
  ExpectSameInBothForms(Namespaces(), name_);

  Create(kLeases, R"({"metadata":{"name":"gpu-n-0","labels":{"gpu.scheduling/managed":"true"},
    "annotations":{"gpu.scheduling/lease-format":"1","gpu.scheduling/node":"n",
    "gpu.scheduling/gpu":"0","gpu.scheduling/scheduler":"s","gpu.scheduling/mode":"exclusive",
    "gpu.scheduling/holders":
      "[{\"namespace\":\"t\",\"name\":\"p\",\"uid\":\"2\",\"plan\":\"0\"}]"}},
    "spec":{"holderIdentity":"me","renewTime":"2026-01-01T00:00:00.000001Z"}})");
  ExpectSameInBothForms(Leases(ns_), "gpu-n-0");
}

TEST_F(WatcherClusterTest, StorageInProtobufIsToldAsInJson) {
  const std::string metadata = R"({"metadata":{"name":")" + name_ + R"("},)";
  Create(kStorageClasses, metadata + R"("provisioner":"example.com/p",
    "volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":[{"matchLabelExpressions":[
      {"key":"zone","values":["a","b"]}]}]})");
  Create(kCsiDrivers, metadata + R"("spec":{"storageCapacity":true,"attachRequired":false}})");
  Create(kCsiNodes, metadata + R"("spec":{"drivers":[{"name":"a.example.com","nodeID":"i",
    "topologyKeys":null,"allocatable":{"count":5}},{"name":"b.example.com","nodeID":"j",
    "topologyKeys":["zone"]}]}})");
  Create(kStorageCapacities, metadata + R"("storageClassName":"s","capacity":"10Gi",
    "maximumVolumeSize":"1Gi","nodeTopology":{"matchLabels":{"zone":"a"}}})");
  Create(kVolumes, metadata + R"("spec":{"capacity":{"storage":"1Gi"},
    "csi":{"driver":"a.example.com","volumeHandle":"h"},"accessModes":["ReadWriteOnce"],
    "storageClassName":"nobodys","nodeAffinity":{"required":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}})");
  Create(kVolumeClaims, metadata + R"("spec":{"accessModes":["ReadWriteOnce"],"storageClassName":
    ")" + name_ + R"(","volumeMode":"Block","resources":{"requests":{"storage":"1Gi"}},
    "selector":{"matchLabels":{"a":"b"}}}})");
  Create(kVolumeAttachments, metadata + R"("spec":{"attacher":"a.example.com","nodeName":"n",
    "source":{"persistentVolumeName":")" +
                                 name_ + R"("}}})");
  for (const WatchedKind& kind : StorageKinds()) {
    ExpectSameInBothForms(kind, name_);
    Delete(kind.collection.resource, name_);
  }
}

TEST_F(WatcherClusterTest, WhoeverAsksForProtobufIsToldWhyNotToo) {
  auto request = ListRequest({.resource = kPods, .ns = ns_}, 500, "no token");
  const auto outcome = client_->Send(request);
  const auto* response = std::get_if<http::Response>(&outcome);
  ASSERT_NE(response, nullptr);
  EXPECT_TRUE(IsProtobuf(response->body));
  const auto status = ParseStatus(response->body);
  ASSERT_TRUE(status.ok()) << status.error();
  EXPECT_EQ(status->code, response->status);
  EXPECT_THAT(status->message, testing::HasSubstr("continue"));
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
