#include "adapters/localcluster/runner/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/localcluster/runner/kubelet_requests.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

// A whole cluster without an API server: a test writes objects and waits for what becomes of them.
class RunnerTest : public testing::Test {
 protected:
  static RunnerOptions Options() {
    return {.kubelets = {.nodes = {{.name = "node1"}}, .times = Faster({}, 100)},
            .ca_certificate = "PEM"};
  }

  void Do(const Write& write) {
    const Verdict refused = cluster_.Apply(write);
    ASSERT_FALSE(refused.has_value()) << refused->message;
  }
  void Add(std::string_view yaml) { Do(Create(*yaml::ParseYaml(yaml))); }
  std::optional<Json> Get(std::string_view resource, std::string_view ns, std::string_view name) {
    return cluster_.Get(
        {.resource = std::string(resource), .ns = std::string(ns), .name = std::string(name)});
  }

  // Until it is so, or the test has failed.
  void Await(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    while (!is_so()) {
      ASSERT_TRUE(changes_.Pop(deadline).has_value()) << "it never came to be";
    }
  }
  bool HasCondition(std::string_view resource, std::string_view name, std::string_view type) {
    const auto object = Get(resource, "default", name);
    return object && IsTrue(Members(*object, {"status"}), type);
  }
  std::size_t CountReady() {
    const auto pods = cluster_.List("pods", "default");
    return static_cast<std::size_t>(std::count_if(pods.begin(), pods.end(), IsReady));
  }

  Store store_;
  Kinds kinds_;
  runtime::SystemClock clock_;
  ObjectNames names_{1};
  Objects objects_{store_, kinds_, clock_, names_};
  ClusterObjects cluster_{objects_};
  runtime::Mailbox<int> changes_;
  Store::WakeHandle wake_ = store_.OnChange("", [this] { (void)changes_.Push(0); });
  runtime::IoThreads threads_{1};
  Runner runner_{Options(), objects_, threads_, runtime::Logger({.write = [](auto) {}})};
};

constexpr std::string_view kWeb = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeName: node1, containers: [{name: main, image: web}]}
)";

TEST_F(RunnerTest, ANewClusterHasItsNamespacesAndNodes) {
  Await([&] {
    return Get("nodes", "", "node1") &&
           Get("leases.coordination.k8s.io", "kube-node-lease", "node1") &&
           Get("serviceaccounts", "kube-system", "default");
  });
  Await([&] { return Get("configmaps", "default", "kube-root-ca.crt").has_value(); });
  EXPECT_EQ(Text(*Get("configmaps", "default", "kube-root-ca.crt"), {"data", "ca.crt"}), "PEM");
}

TEST_F(RunnerTest, ADeploymentRunsItsPodsAndTakesThemAlong) {
  Add(kWeb);
  Await([&] { return HasCondition("deployments.apps", "web", "Available") && CountReady() == 2; });
  const auto web = Get("deployments.apps", "default", "web");
  Do(Delete(*web));
  Await([&] {
    return cluster_.List("pods", "default").empty() &&
           cluster_.List("replicasets.apps", "default").empty();
  });
}

TEST_F(RunnerTest, AServiceFindsThePods) {
  Add(R"(
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80}]}
)");
  Add(kWeb);
  Await([&] {
    const auto endpoints = Get("endpoints", "default", "web");
    if (!endpoints || Items(*endpoints, {"subsets"}).empty()) return false;
    return Items(Items(*endpoints, {"subsets"})[0], {"addresses"}).size() == 2;
  });
}

TEST_F(RunnerTest, AStatefulSetStartsInOrder) {
  Add(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {nodeName: node1, containers: [{name: main, image: db}]}
)");
  Await([&] { return CountReady() == 3; });
  const auto first = Get("pods", "default", "db-0");
  const auto last = Get("pods", "default", "db-2");
  ASSERT_TRUE(first && last);
  EXPECT_EQ(LabelOf(*last, "apps.kubernetes.io/pod-index"), "2");
}

TEST_F(RunnerTest, AClaimIsBoundAndItsVolumeGoesWithIt) {
  Add(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)");
  Await([&] {
    const auto claim = Get("persistentvolumeclaims", "default", "data");
    return claim && Text(*claim, {"status", "phase"}) == "Bound";
  });
  Do(Delete(*Get("persistentvolumeclaims", "default", "data")));
  Await([&] { return cluster_.List("persistentvolumes", "").empty(); });
}

TEST_F(RunnerTest, LogsAreAnsweredAsAKubeletDoes) {
  Add(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {nodeName: node1, containers: [{name: main, image: x}]}
)");
  Await([&] { return CountReady() == 1; });
  ApiRequest request;
  request.path = "/api/v1/namespaces/default/pods/p/log";
  request.query = Query("tailLines=1");
  const auto reply = AnswerAsKubelet(request, cluster_, runner_.outputs());
  ASSERT_TRUE(reply.has_value());
  EXPECT_NE(reply->response.body.find("only pretends to run"), std::string::npos);
  request.path = "/api/v1/namespaces/default/pods/p/status";
  EXPECT_FALSE(AnswerAsKubelet(request, cluster_, runner_.outputs()).has_value());
  request.path = "/api/v1/namespaces/default/pods/none/log";
  EXPECT_FALSE(AnswerAsKubelet(request, cluster_, runner_.outputs()).has_value());
}

TEST_F(RunnerTest, AJobCompletes) {
  Add(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: pi, namespace: default}
spec:
  completions: 3
  parallelism: 2
  template: {spec: {nodeName: node1, restartPolicy: Never, containers: [{name: main, image: pi}]}}
)");
  Await([&] { return HasCondition("jobs.batch", "pi", "Complete"); });
  EXPECT_EQ(Int(*Get("jobs.batch", "default", "pi"), {"status", "succeeded"}), 3);
}

TEST_F(RunnerTest, ANamespaceGoesWithEverythingInIt) {
  Add("{apiVersion: v1, kind: Namespace, metadata: {name: team}}");
  Await([&] { return Get("serviceaccounts", "team", "default").has_value(); });
  Add("{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: team}}");
  Add(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team}
spec: {nodeName: node1, containers: [{name: main, image: x}]}
)");
  Do(Delete(*Get("namespaces", "", "team")));
  Await([&] { return !Get("namespaces", "", "team").has_value(); });
  EXPECT_FALSE(Get("pods", "team", "p").has_value());
  EXPECT_FALSE(Get("secrets", "team", "s").has_value());
}

TEST_F(RunnerTest, InTheForegroundTheOwnerGoesLast) {
  Add(kWeb);
  Await([&] { return CountReady() == 2; });
  Write removal = Delete(*Get("deployments.apps", "default", "web"));
  removal.dependents = Dependents::kForeground;
  Do(removal);
  Await([&] { return !Get("deployments.apps", "default", "web").has_value(); });
  EXPECT_TRUE(cluster_.List("replicasets.apps", "default").empty());
}

TEST_F(RunnerTest, ANodeThatStopsDoesNothingForItsPodsUntilItComesBack) {
  Await([&] { return Get("nodes", "", "node1").has_value(); });
  runner_.StopNode("node1");
  Add(kWeb);
  Await([&] { return cluster_.List("pods", "default").size() == 2; });
  runner_.StartNode("node1");
  Await([&] { return CountReady() == 2; });
}

}  // namespace
}  // namespace gs::localcluster
