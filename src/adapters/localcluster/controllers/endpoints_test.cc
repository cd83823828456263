#include "adapters/localcluster/controllers/endpoints.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

Json Parse(std::string_view yaml) { return *yaml::ParseYaml(yaml); }

const Json kService = Parse(R"(
kind: Service
metadata: {name: web, namespace: team}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: web, protocol: TCP}]
)");

Json Pod(std::string_view name, std::string_view ip, std::string_view ready) {
  Json pod = Parse(R"(
kind: Pod
metadata: {namespace: team, labels: {app: web}}
spec: {nodeName: n1, containers: [{name: main, ports: [{name: web, containerPort: 8080}]}]}
status: {phase: Running}
)");
  Make(pod, {"metadata"})["name"] = name;
  Make(pod, {"status"})["podIP"] = ip;
  Make(pod, {"status"})["conditions"] =
      boost::json::array{boost::json::object{{"type", "Ready"}, {"status", ready}}};
  return pod;
}

TEST(Endpoints, ListReadyPodsApartFromTheOthers) {
  const auto wanted = ReconcileEndpoints(
      kService, {Pod("b", "10.0.0.2", "True"), Pod("a", "10.0.0.1", "False")}, nullptr);
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(wanted.writes[0].verb, Verb::kCreate);
  const Json& endpoints = wanted.writes[0].object;
  ASSERT_EQ(Items(endpoints, {"subsets"}).size(), 1U);
  const Json& subset = Items(endpoints, {"subsets"})[0];
  EXPECT_EQ(Text(Items(subset, {"addresses"})[0], {"ip"}), "10.0.0.2");
  EXPECT_EQ(Text(Items(subset, {"notReadyAddresses"})[0], {"targetRef", "name"}), "a");
  EXPECT_EQ(Int(Items(subset, {"ports"})[0], {"port"}), 8080);
}

TEST(Endpoints, TheSamePodsInAnyOrderChangeNothing) {
  const Json a = Pod("a", "10.0.0.1", "True");
  const Json b = Pod("b", "10.0.0.2", "True");
  const Json made = ReconcileEndpoints(kService, {a, b}, nullptr).writes.at(0).object;
  EXPECT_TRUE(ReconcileEndpoints(kService, {b, a}, &made).writes.empty());
  EXPECT_EQ(ReconcileEndpoints(kService, {a}, &made).writes.at(0).verb, Verb::kUpdate);
}

TEST(Endpoints, PodsOfOthersAndPodsThatLeaveAreNotListed) {
  Json other = Pod("a", "10.0.0.1", "True");
  Make(other, {"metadata", "labels"})["app"] = "db";
  Json leaving = Pod("b", "10.0.0.2", "True");
  Make(leaving, {"metadata"})["deletionTimestamp"] = "x";
  const auto wanted = ReconcileEndpoints(kService, {other, leaving}, nullptr);
  EXPECT_EQ(Find(wanted.writes.at(0).object, {"subsets"}), nullptr);
}

TEST(Endpoints, AServiceWithoutASelectorIsLeftAlone) {
  Json service = kService;
  Make(service, {"spec"}).erase("selector");
  EXPECT_TRUE(ReconcileEndpoints(service, {Pod("a", "10.0.0.1", "True")}, nullptr).writes.empty());
}

}  // namespace
}  // namespace gs::localcluster
