// Cases whose expected results are those of the API server's own library.
#include "adapters/localcluster/patch/strategic_patch.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

#include "adapters/localcluster/patch/patch_schema.h"

namespace gs::localcluster {
namespace {

struct Case {
  const char* name;
  const char* kind;
  const char* document;
  const char* patch;
  const char* expected;
};

// clang-format off
constexpr Case kCases[] = {
    {"containers merge by name and keep their places", "Pod",
     R"({"spec":{"containers":[{"name":"a","image":"x","args":["1","2"]},{"name":"b",
        "image":"y"}]}})",
     R"({"spec":{"containers":[{"name":"b","image":"z"},{"name":"c","image":"new"}]}})",
     R"({"spec":{"containers":[{"args":["1","2"],"image":"x","name":"a"},{"image":"z",
        "name":"b"},{"image":"new","name":"c"}]}})"},
    {"a container is renamed as kubectl apply does it", "Pod",
     R"({"spec":{"containers":[{"name":"keep"},{"name":"old"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"new"}],"containers":[{"name":"new",
        "image":"x"},{"$patch":"delete","name":"old"}]}})",
     R"({"spec":{"containers":[{"name":"keep"},{"image":"x","name":"new"}]}})"},
    {"an element of env is deleted, another changed", "Pod",
     R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y",
        "value":"2"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","$patch":"delete"},{"name":"Y",
        "valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}},"value":null}]}]}})",
     R"({"spec":{"containers":[{"env":[{"name":"Y","valueFrom":{"fieldRef":{
        "fieldPath":"metadata.name"}}}],"name":"a"}]}})"},
    {"ports of containers are told apart by containerPort", "Pod",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"},{
        "containerPort":81}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":81,"name":"admin"}]}]}})",
     R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"},{
        "containerPort":81,"name":"admin"}]}]}})"},
    {"ports of services are told apart by port", "Service",
     R"({"spec":{"ports":[{"port":80,"targetPort":1},{"port":443}]}})",
     R"({"spec":{"ports":[{"port":80,"targetPort":"web"}]}})",
     R"({"spec":{"ports":[{"port":80,"targetPort":"web"},{"port":443}]}})"},
    {"a volume changes its kind with retainKeys", "Pod",
     R"({"spec":{"volumes":[{"name":"v","emptyDir":{"medium":"Memory"}},{"name":"w"}]}})",
     R"({"spec":{"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{
        "path":"/x"}}]}})",
     R"({"spec":{"volumes":[{"hostPath":{"path":"/x"},"name":"v"},{"name":"w"}]}})"},
    {"retainKeys on a strategy", "Deployment",
     R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
     R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
     R"({"spec":{"strategy":{"type":"Recreate"}}})"},
    {"finalizers are a set", "Pod",
     R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"finalizers":["c","a"]}})",
     R"({"metadata":{"finalizers":["c","a","b"]}})"},
    {"finalizers are taken away by the parallel list", "Pod",
     R"({"metadata":{"finalizers":["a","b","c"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"],"$setElementOrder/finalizers":[
        "c","a"]}})",
     R"({"metadata":{"finalizers":["c","a"]}})"},
    {"tolerations are replaced as a whole", "Pod",
     R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})",
     R"({"spec":{"tolerations":[{"key":"c"}]}})",
     R"({"spec":{"tolerations":[{"key":"c"}]}})"},
    {"conditions merge by type", "Node",
     R"({"status":{"conditions":[{"type":"Ready","status":"False","reason":"x"},{
        "type":"MemoryPressure","status":"False"}]}})",
     R"({"status":{"$setElementOrder/conditions":[{"type":"MemoryPressure"},{"type":"Ready"}],
        "conditions":[{"type":"Ready","status":"True"}]}})",
     R"({"status":{"conditions":[{"status":"False","type":"MemoryPressure"},{"reason":"x",
        "status":"True","type":"Ready"}]}})"},
    {"owner references merge by uid", "Pod",
     R"({"metadata":{"ownerReferences":[{"uid":"1","name":"a"}]}})",
     R"({"metadata":{"ownerReferences":[{"uid":"2","name":"b"},{"$patch":"delete","uid":"1"}]}})",
     R"({"metadata":{"ownerReferences":[{"name":"b","uid":"2"}]}})"},
    {"labels: null removes, the rest merges", "Deployment",
     R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
     R"({"metadata":{"labels":{"a":null,"c":"3","d":null}}})",
     R"({"metadata":{"labels":{"b":"2","c":"3"}}})"},
    {"labels are replaced", "Pod",
     R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
     R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})",
     R"({"metadata":{"labels":{"c":"3"}}})"},
    {"labels are deleted", "Pod",
     R"({"metadata":{"labels":{"a":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"delete"}}})",
     R"({"metadata":{"labels":{}}})"},
    {"a list is replaced by directive", "Pod",
     R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}})",
     R"({"spec":{"containers":[{"name":"c"}]}})"},
    {"the template of a deployment merges as a pod does", "Deployment",
     R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x","env":[{"name":"X",
        "value":"1"}]}]}}}})",
     R"({"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"Z",
        "value":"9"}]}],"imagePullSecrets":[{"name":"s"}]}}}})",
     R"({"spec":{"template":{"spec":{"containers":[{"env":[{"name":"Z","value":"9"},{"name":"X",
        "value":"1"}],"image":"x","name":"a"}],"imagePullSecrets":[{"name":"s"}]}}}})"},
    {"the selector of a disruption budget is replaced", "PodDisruptionBudget",
     R"({"spec":{"selector":{"matchLabels":{"a":"1"}},"minAvailable":1}})",
     R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})",
     R"({"spec":{"minAvailable":1,"selector":{"matchLabels":{"b":"2"}}}})"},
    {"webhooks merge by name and their conditions too", "MutatingWebhookConfiguration",
     R"({"webhooks":[{"name":"a","failurePolicy":"Fail","matchConditions":[{"name":"x",
        "expression":"true"}]}]})",
     R"({"webhooks":[{"name":"a","failurePolicy":"Ignore","matchConditions":[{"name":"y",
        "expression":"false"}]}]})",
     R"({"webhooks":[{"failurePolicy":"Ignore","matchConditions":[{"expression":"false",
        "name":"y"},{"expression":"true","name":"x"}],"name":"a"}]})"},
    {"secrets of a service account merge, its pull secrets do not", "ServiceAccount",
     R"({"secrets":[{"name":"a"}],"imagePullSecrets":[{"name":"a"}]})",
     R"({"secrets":[{"name":"b"}],"imagePullSecrets":[{"name":"b"}]})",
     R"({"imagePullSecrets":[{"name":"b"}],"secrets":[{"name":"b"},{"name":"a"}]})"},
    {"server-only elements stay between those that are ordered", "Pod",
     R"({"spec":{"containers":[{"name":"a"},{"name":"s1"},{"name":"b"},{"name":"s2"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{
        "name":"b","image":"x"},{"name":"a","image":"y"}]}})",
     R"({"spec":{"containers":[{"name":"s1"},{"image":"x","name":"b"},{"image":"y","name":"a"},{
        "name":"s2"}]}})"},
    {"directives in what is new are not kept", "Pod",
     R"({"metadata":{"name":"p"}})",
     R"({"spec":{"volumes":[{"$patch":"delete","name":"v"},{"name":"w","emptyDir":null}]}})",
     R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"w"}]}})"},
    {"taints of a node are replaced as a whole", "Node",
     R"({"spec":{"taints":[{"key":"a"}],"podCIDRs":["x"]}})",
     R"({"spec":{"taints":[{"key":"b"}],"podCIDRs":["y"]}})",
     R"({"spec":{"podCIDRs":["y","x"],"taints":[{"key":"b"}]}})"},
};
// clang-format on

TEST(StrategicPatch, AgreesWithTheServer) {
  for (const auto& [name, kind, document, patch, expected] : kCases) {
    SCOPED_TRACE(name);
    const auto patched = ApplyStrategicMergePatch(boost::json::parse(document),
                                                  boost::json::parse(patch), PatchTypeOf(kind));
    ASSERT_TRUE(patched.ok()) << patched.error();
    EXPECT_EQ(*patched, boost::json::parse(expected)) << boost::json::serialize(*patched);
  }
}

std::string Refusal(const std::string& document, const std::string& patch) {
  const auto patched = ApplyStrategicMergePatch(boost::json::parse(document),
                                                boost::json::parse(patch), PatchTypeOf("Pod"));
  if (patched) return "accepted";
  return std::string(ToString(patched.error().kind())) + ": " + patched.error().message();
}

TEST(StrategicPatch, RefusesInTheWordsOfTheServer) {
  constexpr const char* kPod =
      R"({"metadata":{"finalizers":["a"]},"spec":{"containers":[{"name":"a"}]}})";
  EXPECT_EQ(Refusal(kPod, R"({"spec":{"containers":[{"image":"x"}]}})"),
            R"(internal: map: {"image":"x"} does not contain declared merge key: name)");
  EXPECT_EQ(Refusal(kPod, R"({"spec":{"containers":[{"name":"a","$patch":"burn"}]}})"),
            R"(internal: unknown patch type: burn in map: {"name":"a","$patch":"burn"})");
  EXPECT_EQ(Refusal(kPod, R"({"spec":{"$retainKeys":"containers"}})"),
            "invalid: invalid patch format of retainKeys");
  EXPECT_EQ(Refusal(kPod, R"({"spec":{"$retainKeys":["a"],"b":1}})"),
            "invalid: invalid patch format of retainKeys");
  EXPECT_EQ(Refusal(kPod, R"({"metadata":{"$deleteFromPrimitiveList":["a"]}})"),
            "invalid: invalid patch format of primitive list");
  EXPECT_EQ(Refusal(kPod, R"({"metadata":{"finalizers":[["a"]]}})"),
            "conflict: lists of lists are not supported");
  EXPECT_EQ(Refusal(kPod, "[]"), "invalid: invalid JSON document");
}

TEST(StrategicPatch, RefusesAnOrderThatThePatchDoesNotFollow) {
  const std::string refusal = Refusal(
      R"({"spec":{"containers":[{"name":"a"}]}})",
      R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"a"}]}})");
  EXPECT_TRUE(refusal.starts_with("internal: The order in patch list:")) << refusal;
}

TEST(StrategicPatch, KeepsTheOrderOfMembers) {
  const auto patched = ApplyStrategicMergePatch(
      boost::json::parse(
          R"({"kind":"Pod","metadata":{"name":"p","labels":{"a":"1","b":"2"}},"z":1})"),
      boost::json::parse(R"({"metadata":{"labels":{"a":null,"c":"3"}}})"), PatchTypeOf("Pod"));
  EXPECT_EQ(boost::json::serialize(*patched),
            R"({"kind":"Pod","metadata":{"name":"p","labels":{"b":"2","c":"3"}},"z":1})");
}

}  // namespace
}  // namespace gs::localcluster
