#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/objects/decode.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "train-3", "namespace": "team", "uid": "u-1", "resourceVersion": "4711",
    "creationTimestamp": "2026-03-01T12:00:00Z",
    "labels": {"app": "train", "apps.kubernetes.io/pod-index": "3"},
    "annotations": {"gpu-scheduling-map": "3=node-a:0", "kubernetes.io/psp": "x"},
    "ownerReferences": [{"kind": "Node", "uid": "n"},
                        {"kind": "StatefulSet", "name": "train", "uid": "s-1", "controller": true}],
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]
  },
  "spec": {
    "schedulerName": "gpu-scheduler", "priority": 100,
    "containers": [{"name": "main", "image": "busybox",
                    "resources": {"requests": {"cpu": "1500m", "memory": "2Gi", "nvidia.com/gpu": "2"},
                                  "limits": {"nvidia.com/gpu": "2"}}}]
  },
  "status": {"phase": "Pending", "conditions": null}
})";

// A pod with these spec fields and, after them, whatever else.
model::Resources RequestsOf(const std::string& spec, const std::string& status = "{}") {
  const auto pod = DecodePod(R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"spec":)" +
                             spec + R"(,"status":)" + status + "}");
  EXPECT_TRUE(pod.ok()) << pod.error();
  return pod ? pod->requests : model::Resources{};
}

std::string Asking(const std::string& name, const std::string& requests) {
  return R"({"name":")" + name + R"(","resources":{"requests":)" + requests + "}}";
}

std::string Refusal(const std::string& json) {
  const auto pod = DecodePod(json);
  return pod ? "accepted" : ToString(pod.error());
}

TEST(DecodePod, ReadsWhatTheSchedulerUses) {
  const auto pod = DecodePod(kPod);
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_EQ(ToString(pod->ref), "team/train-3");
  EXPECT_EQ(pod->ref.uid, PodUid("u-1"));
  EXPECT_EQ(pod->resource_version, ResourceVersion("4711"));
  EXPECT_EQ(pod->scheduler, SchedulerName("gpu-scheduler"));
  EXPECT_FALSE(pod->is_bound());
  EXPECT_FALSE(pod->is_terminating);
  EXPECT_EQ(pod->priority, 100);
  EXPECT_EQ(PrintTime(pod->created), "2026-03-01T12:00:00Z");
  EXPECT_EQ(pod->controller, (model::Controller{"StatefulSet", ControllerUid("s-1")}));
  EXPECT_EQ(PodIndexOf(*pod), PodIndex(3));
  EXPECT_EQ(
      pod->requests,
      (model::Resources{
          .cpu_milli = 1500, .memory_bytes = std::int64_t{2} << 30, .gpus = 2, .others = {}}));
}

TEST(DecodePod, KeepsOnlyAnnotationsOfOurs) {
  EXPECT_THAT(DecodePod(kPod)->annotations, ElementsAre(Pair("gpu-scheduling-map", "3=node-a:0")));
}

TEST(DecodePod, ReadsTheStateOfABoundPod) {
  const auto pod = DecodePod(R"({"metadata":{"name":"p","namespace":"n","uid":"u",
      "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"nodeName":"node-a"},
      "status":{"phase":"Running"}})");
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_EQ(pod->node, NodeName("node-a"));
  EXPECT_EQ(pod->phase, model::PodPhase::kRunning);
  EXPECT_TRUE(pod->is_terminating);
}

TEST(DecodePod, TakesTheLeastAPodCanHave) {
  const auto pod = DecodePod(R"({"metadata":{"name":"p","namespace":"n","uid":"u"}})");
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_EQ(pod->phase, model::PodPhase::kPending);
  EXPECT_EQ(pod->requests, model::Resources{});
}

TEST(DecodePod, AnUnknownPhaseHoldsItsGpus) {
  const auto pod = DecodePod(
      R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"status":{"phase":"Hibernated"}})");
  EXPECT_EQ(pod->phase, model::PodPhase::kUnknown);
  EXPECT_FALSE(pod->is_terminal());
}

TEST(DecodePod, NamesPathAndObjectOfAMistake) {
  const std::string metadata = R"("metadata":{"name":"p","namespace":"n","uid":"u"})";
  EXPECT_THAT(Refusal("{"), HasSubstr("pod: is no JSON"));
  EXPECT_THAT(Refusal(""), HasSubstr("pod: is no JSON"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("pod: expected an object, got a list"));
  EXPECT_THAT(Refusal("{}"), HasSubstr("pod: metadata.namespace: is missing"));
  EXPECT_THAT(Refusal(R"({"metadata":{"name":"p","namespace":"n"}})"),
              HasSubstr("pod n/p: metadata.uid: is missing"));
  EXPECT_THAT(Refusal("{" + metadata +
                      R"(,"spec":{"containers":[{"resources":{"requests":{"cpu":"1q"}}}]}})"),
              HasSubstr("pod n/p: spec.containers[0].resources.requests[cpu]: "));
  EXPECT_THAT(Refusal("{" + metadata + R"(,"spec":{"overhead":{"cpu":"-1"}}})"),
              HasSubstr("spec.overhead[cpu]: must not be negative"));
  EXPECT_THAT(Refusal("{" + metadata + R"(,"spec":{"priority":99999999999}})"),
              HasSubstr("spec.priority: expected a number from"));
  EXPECT_THAT(Refusal(R"({"metadata":{"namespace":"n","name":7}})"),
              HasSubstr("metadata.name: expected text, got 7"));
}

// A pod whose spec and status have these fields.
model::Pod PodWith(const std::string& spec, const std::string& status = "") {
  const auto pod = DecodePod(R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"spec":{)" +
                             spec + R"(},"status":{)" + status + "}}");
  EXPECT_TRUE(pod.ok()) << pod.error();
  return pod ? *pod : model::Pod{};
}

TEST(PlacementRules, ReadsNodeSelectorAffinityTolerationsAndGates) {
  const auto rules = *PodWith(R"("nodeSelector":{"zone":"a","gpu":"yes"},
    "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
        "nodeSelectorTerms":[{"matchExpressions":[
            {"key":"zone","operator":"In","values":["a","b"]},{"key":"gen","operator":"Gt","values":["7"]}],
          "matchFields":[{"key":"metadata.name","operator":"NotIn","values":["node-b"]}]},
          {"matchExpressions":[{"key":"spot","operator":"DoesNotExist"}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[
          {"key":"x","operator":"Whatever"}]}}]}},
    "tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"},
      {"key":"team","value":"a"},{"operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
    "schedulingGates":[{"name":"quota"}])")
                          .rules;
  EXPECT_THAT(rules.node_selector, ElementsAre(Pair("gpu", "yes"), Pair("zone", "a")));
  ASSERT_EQ(rules.node_affinity.size(), 2U);
  EXPECT_EQ(ToString(rules.node_affinity[0]),
            "zone In (a, b) and gen Gt (7) and metadata.name NotIn (node-b)");
  EXPECT_EQ(ToString(rules.node_affinity[1]), "spot DoesNotExist");
  using model::TaintEffect;
  using model::TolerationOperator;
  EXPECT_THAT(
      rules.tolerations,
      ElementsAre(model::Toleration{"nvidia.com/gpu", "", TolerationOperator::kExists,
                                    TaintEffect::kNoSchedule},
                  model::Toleration{"team", "a", TolerationOperator::kEqual, {}},
                  model::Toleration{"", "", TolerationOperator::kExists, TaintEffect::kNoExecute}));
  EXPECT_THAT(rules.gates, ElementsAre("quota"));
  EXPECT_THAT(rules.unsupported, IsEmpty());
}

TEST(PlacementRules, ASelectorWithoutTermsMatchesNoNode) {
  const auto rules = *PodWith(R"("affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}})")
                          .rules;
  EXPECT_THAT(rules.node_affinity, ElementsAre(model::NodeSelectorTerm{}));
}

TEST(PlacementRules, OfABoundPodAreNotKept) {
  EXPECT_EQ(PodWith(R"("nodeName":"node-a","nodeSelector":{"a":"b"},"resourceClaims":[{}])").rules,
            model::PlacementRules{});
}

std::string Repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(PlacementRules, ReadsWishesAboutNodesAndLeavesOutWhatIsNotUnderstood) {
  const auto rules = *PodWith(R"("affinity":{"nodeAffinity":{
      "preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":40,"preference":{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}},
        {"weight":9,"preference":{"matchExpressions":[{"key":"x","operator":"Whatever"}]}}]}})")
                          .rules;
  ASSERT_EQ(rules.preferred_nodes.size(), 1U);
  EXPECT_EQ(rules.preferred_nodes[0].weight, 40);
  EXPECT_EQ(ToString(rules.preferred_nodes[0].term), "zone In (a)");
  EXPECT_THAT(rules.unsupported, IsEmpty());
}

// A pod n/p with the labels app=web and version=2.
model::Pod Labelled(const std::string& spec) {
  const auto pod = DecodePod(
      R"({"metadata":{"name":"p","namespace":"n","uid":"u","labels":{"app":"web","version":"2"}},
          "spec":{)" +
      spec + "}}");
  EXPECT_TRUE(pod.ok()) << pod.error();
  return pod ? *pod : model::Pod{};
}

TEST(PodAffinity, IsReadWithItsNamespacesAndLabelKeys) {
  const auto pod = Labelled(R"("affinity":{"podAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"db"},
          "matchExpressions":[{"key":"old","operator":"DoesNotExist"}]},
         "matchLabelKeys":["version","absent"],"mismatchLabelKeys":["app"]},
        {"topologyKey":"rack","namespaces":["x","y"],"namespaceSelector":{}}]}})");
  ASSERT_EQ(pod.rules->pod_affinity.size(), 2U);
  const auto& first = pod.rules->pod_affinity[0];
  EXPECT_EQ(ToString(first),
            "app In (db) and old DoesNotExist and version In (2) and app NotIn (web) per zone");
  EXPECT_THAT(first.namespaces, ElementsAre(Namespace("n")));
  EXPECT_FALSE(first.namespace_selector);
  const auto& second = pod.rules->pod_affinity[1];
  EXPECT_FALSE(second.selector);
  EXPECT_THAT(second.namespaces, ElementsAre(Namespace("x"), Namespace("y")));
  ASSERT_TRUE(second.namespace_selector);
  EXPECT_TRUE(second.namespace_selector->requirements.empty());
}

TEST(PodAffinity, OfLabelKeysThatTheApiServerHasMergedStaysAsItIs) {
  const auto pod = Labelled(R"("affinity":{"podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","matchLabelKeys":["version"],
        "labelSelector":{"matchExpressions":[{"key":"version","operator":"In","values":["1"]}]}}]}})");
  ASSERT_EQ(pod.ties->anti_affinity.size(), 1U);
  EXPECT_EQ(ToString(pod.ties->anti_affinity[0]), "version In (1) per zone");
}

TEST(Spread, HasTheDefaultsOfKubernetes) {
  const auto spread = Labelled(R"("topologySpreadConstraints":[
      {"topologyKey":"zone","maxSkew":2,"whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["version"],
       "labelSelector":{"matchLabels":{"app":"web"}}},
      {"topologyKey":"rack","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","minDomains":3,
       "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor"},
      {"topologyKey":"host","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway"}])")
                          .rules->spread;
  ASSERT_EQ(spread.size(), 2U);
  EXPECT_EQ(ToString(spread[0]),
            "app In (web) and version In (2) per zone with a skew of at most 2");
  EXPECT_EQ(spread[0].min_domains, 1);
  EXPECT_TRUE(spread[0].honours_affinity);
  EXPECT_FALSE(spread[0].honours_taints);
  EXPECT_FALSE(spread[1].selector);
  EXPECT_EQ(spread[1].min_domains, 3);
  EXPECT_FALSE(spread[1].honours_affinity);
  EXPECT_TRUE(spread[1].honours_taints);
}

TEST(Ties, AreHostPortsOfWhatRunsAsLongAsThePodAndItsAntiAffinityAlsoWhenBound) {
  const auto ties = *Labelled(R"("nodeName":"node-a","initContainers":[
      {"ports":[{"hostPort":1}]},{"restartPolicy":"Always","ports":[{"hostPort":2,"protocol":"UDP"}]}],
      "containers":[{"ports":[{"containerPort":80},{"hostPort":3,"hostIP":"10.0.0.1"}]}],
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"zone","labelSelector":{}}]}})")
                         .ties;
  EXPECT_THAT(ties.host_ports, ElementsAre(model::HostPort{.protocol = "UDP", .port = 2},
                                           model::HostPort{.ip = "10.0.0.1", .port = 3}));
  ASSERT_EQ(ties.anti_affinity.size(), 1U);
  EXPECT_EQ(ToString(ties.anti_affinity[0]), "anything per zone");
}

TEST(PlacementRules, NamesEveryFieldThatIsNotHonoured) {
  const std::string required = R"({"requiredDuringSchedulingIgnoredDuringExecution":)";
  const std::pair<std::string, const char*> cases[] = {
      {R"("volumes":[{"name":"v","hologram":{}},{"name":"w","hologram":{}}])",
       "spec.volumes.hologram"},
      {R"("affinity":{"podAffinity":)" + required + "[{}]}}", "spec.affinity.podAffinity"},
      {R"("affinity":{"podAntiAffinity":)" + required + "[{}]}}", "spec.affinity.podAntiAffinity"},
      {R"("affinity":{"podAffinity":)" + required +
           R"([{"topologyKey":"zone","labelSelector":{"matchExpressions":[{"key":"a","operator":"Gt"}]}}]}})",
       "spec.affinity.podAffinity"},
      {R"("affinity":{"podAntiAffinity":)" + required +
           R"([{"topologyKey":"zone","namespaceSelector":{"matchExpressions":[{"key":"a","operator":"Like"}]}}]}})",
       "spec.affinity.podAntiAffinity"},
      {R"("affinity":{"podAffinity":)" + required +
           R"([{"topologyKey":"zone","labelSelector":{"matchExpressions":[{"key":"a","operator":"In","values":[)" +
           Repeated(R"("v",)", 1000) + R"("v"]}]}}]}})",
       "spec.affinity.podAffinity of more than 1000 words"},
      {R"("topologySpreadConstraints":[{"whenUnsatisfiable":"DoNotSchedule"}])",
       "spec.topologySpreadConstraints"},
      {R"("topologySpreadConstraints":[{"topologyKey":"zone","whenUnsatisfiable":"Perhaps"}])",
       "spec.topologySpreadConstraints"},
      {R"("topologySpreadConstraints":[{"topologyKey":"zone","nodeTaintsPolicy":"Perhaps"}])",
       "spec.topologySpreadConstraints"},
      {R"("resourceClaims":[{"name":"gpu"}])", "spec.resourceClaims"},
      {R"("tolerations":[{"key":"sla","operator":"Gt","value":"9"}])", "spec.tolerations"},
      {R"("affinity":{"nodeAffinity":)" + required +
           R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Like"}]}]}}})",
       "spec.affinity.nodeAffinity"},
      {R"("affinity":{"nodeAffinity":)" + required +
           R"({"nodeSelectorTerms":[{"matchFields":[{"key":"a","operator":"In"}]}]}}})",
       "spec.affinity.nodeAffinity"},
  };
  for (const auto& [spec, field] : cases) {
    EXPECT_THAT(PodWith(spec).rules->unsupported, ElementsAre(field)) << spec;
  }
}

TEST(PlacementRules, PassesOverWhatCannotKeepAPodOffANode) {
  EXPECT_EQ(PodWith(R"("containers":[{"ports":[{"containerPort":80,"hostPort":0}]}],
      "volumes":[{"name":"a","emptyDir":{}},{"name":"b","configMap":{}},{"name":"c","secret":{}},
        {"name":"d","projected":{}},{"name":"e","downwardAPI":{}},{"name":"f","hostPath":{}},
        {"name":"g","image":{}},{"name":"h","persistentVolumeClaim":null}],
      "affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{}]}},
      "topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"}],
      "tolerations":[{"key":"a","effect":"NoScheduleMaybe"}],
      "resourceClaims":[])")
                .rules,
            model::PlacementRules{});
}

TEST(DecodePod, KnowsWhetherTheWebhookHasSeenIt) {
  const auto from = [](const std::string& name, const std::string& annotation) {
    return R"({"env":[{"name":"A"},{"name":")" + name +
           R"(","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations[')" + annotation +
           R"(']"}}}]})";
  };
  const std::string with = from("CUDA_VISIBLE_DEVICES", "gpu.scheduling/visible-devices");
  const std::string without = R"({"env":[{"name":"NVIDIA_VISIBLE_DEVICES","value":"all"}]})";
  const auto has = [](const std::string& containers, const std::string& init_containers) {
    return PodWith(R"("containers":[)" + containers + R"(],"initContainers":[)" + init_containers +
                   "]")
        .has_visible_devices_variable;
  };
  EXPECT_TRUE(has(with, ""));
  EXPECT_TRUE(has(with + "," + with, with));
  EXPECT_FALSE(has(with + "," + without, ""));
  EXPECT_FALSE(has(with, without));
  EXPECT_FALSE(has("", ""));
  EXPECT_TRUE(has(from("NVIDIA_VISIBLE_DEVICES", "gpu.scheduling/uuids"), ""));
  EXPECT_TRUE(has(R"({"env":[{"name":"CUDA_VISIBLE_DEVICES","value":""}]})", with));
  EXPECT_TRUE(has(R"({"env":[{"name":"CUDA_VISIBLE_DEVICES","value":"0"}],
      "resources":{"requests":{"nvidia.com/gpu":"1"}}})",
                  ""));
  EXPECT_TRUE(has(R"({"env":[{"name":"CUDA_VISIBLE_DEVICES","value":"0"}],
      "resources":{"requests":{"amd.com/gpu":"1"}}})",
                  ""));
  // A device plugin says what parts are called.
  EXPECT_TRUE(has(R"({"resources":{"requests":{"nvidia.com/mig-1g.5gb":"1"}}})", with));
  // Of the user's own making.
  EXPECT_FALSE(has(R"({"env":[{"name":"CUDA_VISIBLE_DEVICES","value":"0"}]})", ""));
  EXPECT_FALSE(has(from("CUDA_VISIBLE_DEVICES", "mine"), ""));
}

TEST(DecodePod, KnowsWhetherAContainerHadBeenRunning) {
  const auto had = [](const std::string& status) {
    return PodWith("", status).had_running_container;
  };
  EXPECT_FALSE(had(""));
  EXPECT_FALSE(had(R"("containerStatuses":[{"state":{"waiting":{}},"lastState":{}}])"));
  EXPECT_FALSE(had(R"("containerStatuses":[{"state":{"terminated":{}}}])"));
  EXPECT_TRUE(had(R"("containerStatuses":[{"state":{"waiting":{}}},{"state":{"running":{}}}])"));
  EXPECT_TRUE(had(R"("initContainerStatuses":[{"state":{"running":{}}}])"));
  EXPECT_TRUE(had(R"("ephemeralContainerStatuses":[{"state":{"running":{}}}])"));
  EXPECT_TRUE(
      had(R"("containerStatuses":[{"state":{"waiting":{}},"lastState":{"terminated":{}}}])"));
}

TEST(DecodePod, ATerminalPodRunsOnWhereItsKubeletHasNotSaidOtherwise) {
  const auto had = [](const std::string& containers) {
    return PodWith("", R"("phase":"Failed","containerStatuses":[)" + containers + "]")
        .had_running_container;
  };
  const std::string ended = R"({"state":{"terminated":{}}})";
  const std::string restarted = R"({"state":{"terminated":{}},"lastState":{"terminated":{}}})";
  const std::string crashed = R"({"state":{"waiting":{}},"lastState":{"terminated":{}}})";
  EXPECT_FALSE(had(""));
  EXPECT_FALSE(had(ended + "," + restarted));
  EXPECT_FALSE(had(R"({"state":{"waiting":{}}})"));
  EXPECT_TRUE(had(ended + R"(,{"state":{"running":{}}})"));
  EXPECT_TRUE(had(crashed));
}

TEST(DecodePod, ReadsHowSchedulingStands) {
  const auto pod = PodWith("", R"("nominatedNodeName":"node-c","conditions":[{"type":"Ready"},
      {"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no room"}])");
  EXPECT_EQ(pod.scheduled, (model::ScheduledCondition{model::ConditionStatus::kFalse,
                                                      "Unschedulable", "no room"}));
  EXPECT_EQ(pod.nominated_node, NodeName("node-c"));
  EXPECT_EQ(PodWith("").scheduled, model::ScheduledCondition{});
}

TEST(DecodePod, OfSeveralFieldsWithOneNameTheFirstCounts) {
  const auto pod = DecodePod(
      R"({"metadata":{"name":"p","name":"q","namespace":"n","uid":"u","labels":{"a":"1","a":2}},
          "metadata":{}})");
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_EQ(pod->ref.name, PodName("p"));
  EXPECT_THAT(pod->labels, ElementsAre(Pair("a", "1")));
}

TEST(PodRequests, InitContainersCountOnlyWhereTheyAskForMore) {
  const std::string spec = R"({"containers":[)" + Asking("a", R"({"cpu":"1","memory":"1Gi"})") +
                           "," + Asking("b", R"({"cpu":"500m"})") + R"(],"initContainers":[)" +
                           Asking("i", R"({"cpu":"1","memory":"4Gi","nvidia.com/gpu":1})") + "]}";
  EXPECT_EQ(
      RequestsOf(spec),
      (model::Resources{
          .cpu_milli = 1500, .memory_bytes = std::int64_t{4} << 30, .gpus = 1, .others = {}}));
}

TEST(PodRequests, SidecarsRunBesideWhatComesAfterThem) {
  const std::string sidecar =
      R"({"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}})";
  const std::string app = R"("containers":[)" + Asking("a", R"({"cpu":"1"})") + "]";
  const std::string init = Asking("i", R"({"cpu":"3"})");
  // max(1 + 2, 2, 2 + 3): the init container starts after the sidecar.
  EXPECT_EQ(
      RequestsOf("{" + app + R"(,"initContainers":[)" + sidecar + "," + init + "]}").cpu_milli,
      5000);
  // max(1 + 2, 3, 2): it is over before the sidecar starts.
  EXPECT_EQ(
      RequestsOf("{" + app + R"(,"initContainers":[)" + init + "," + sidecar + "]}").cpu_milli,
      3000);
}

TEST(PodRequests, PodLevelRequestsReplaceAndOverheadAdds) {
  const std::string spec = R"({"containers":[)" +
                           Asking("a", R"({"cpu":"1","memory":"1Gi","nvidia.com/gpu":"4"})") +
                           R"(],"resources":{"requests":{"cpu":"3","nvidia.com/gpu":"1"}},
                              "overhead":{"cpu":"250m","memory":"1Mi"}})";
  EXPECT_EQ(
      RequestsOf(spec),
      (model::Resources{
          .cpu_milli = 3250, .memory_bytes = (1 << 30) + (1 << 20), .gpus = 4, .others = {}}));
}

TEST(PodRequests, AddsExactlyAndRoundsOnce) {
  const std::string third = Asking("a", R"({"cpu":"100u","ephemeral-storage":"500m"})");
  const auto requests = RequestsOf(R"({"containers":[)" + third + "," + third + "]}");
  EXPECT_EQ(requests.cpu_milli, 1);
  EXPECT_THAT(requests.others, ElementsAre(Pair("ephemeral-storage", 1)));
}

TEST(PodRequests, AbsurdSumsStayAtTheLargest) {
  const std::string all = Asking("a", R"({"memory":"9223372036854775807"})");
  EXPECT_EQ(RequestsOf(R"({"containers":[)" + all + "," + all + "]}").memory_bytes, INT64_MAX);
}

TEST(PodRequests, AResizeCountsAsTheLargerOfBoth) {
  const std::string spec = R"({"containers":[)" + Asking("a", R"({"cpu":"2"})") + "]}";
  const std::string held =
      R"("containerStatuses":[{"name":"a","allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"1"}}}])";
  EXPECT_EQ(RequestsOf(spec, "{" + held + "}").cpu_milli, 3000);
  const std::string small =
      R"({"containerStatuses":[{"name":"a","allocatedResources":{"cpu":"1"}}])";
  EXPECT_EQ(RequestsOf(spec, small + "}").cpu_milli, 2000);
  const std::string infeasible =
      R"(,"conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}]})";
  EXPECT_EQ(RequestsOf(spec, small + infeasible).cpu_milli, 1000);
}

}  // namespace
}  // namespace gs::kube
