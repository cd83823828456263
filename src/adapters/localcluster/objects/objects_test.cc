#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/event_about.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"
#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {
namespace {

Json Parse(std::string_view text) { return boost::json::parse(text); }

TimePoint Noon() { return *ParseTime("2026-05-01T12:00:00Z"); }

TEST(Fields, AreReadWithAFallbackWhateverStandsInTheWay) {
  const Json pod = Parse(R"({"metadata":{"name":"a","labels":null},"spec":7,"n":3,"yes":true})");
  EXPECT_EQ(Text(pod, {"metadata", "name"}), "a");
  EXPECT_EQ(Text(pod, {"metadata", "labels", "app"}, "none"), "none");
  EXPECT_EQ(Text(pod, {"spec", "nodeName"}), "");
  EXPECT_EQ(Int(pod, {"n"}), 3);
  EXPECT_EQ(Int(pod, {"metadata", "name"}, 5), 5);
  EXPECT_TRUE(Bool(pod, {"yes"}));
  EXPECT_TRUE(Items(pod, {"spec"}).empty());
  EXPECT_EQ(Find(pod, {"metadata", "labels"}), nullptr);
}

TEST(Fields, AreMadeWithAllThatLeadsToThem) {
  Json pod = Parse(R"({"spec":7})");
  Make(pod, {"spec", "inner"})["x"] = 1;
  EXPECT_EQ(pod, Parse(R"({"spec":{"inner":{"x":1}}})"));
}

TEST(Fields, OfObjectsAndOfValuesAreReadAlike) {
  const Json pod = Parse(R"({"metadata":{"name":"a"},"items":[1],"n":18446744073709551615})");
  const auto& object = pod.get_object();
  EXPECT_EQ(Text(object, {"metadata", "name"}), Text(pod, {"metadata", "name"}));
  EXPECT_EQ(FindObject(object, {"metadata"}), FindObject(pod, {"metadata"}));
  EXPECT_EQ(FindArray(object, {"items"}), &Items(pod, {"items"}));
  EXPECT_EQ(Find(pod, {}), &pod);
  EXPECT_EQ(FindObject(pod, {"items"}), nullptr);
  EXPECT_EQ(MaybeInt(pod, {"n"}), std::nullopt) << "more than there is room for is no number";
  EXPECT_EQ(Int(Json{{"size", std::size_t{7}}}, {"size"}), 7);
}

TEST(Fields, ThatAreThereStayWhereTheyAreWhileOthersAreLookedUp) {
  for (int count = 1; count < 40; ++count) {  // whatever room an object has left
    boost::json::object pod;
    for (int i = 0; i < count; ++i) pod[std::to_string(i)] = boost::json::object();
    pod["list"] = boost::json::array();
    const auto* first = &pod.at("0").get_object();
    static_cast<void>(MakeArray(pod, "list"));
    SetDefault(pod, "0", 1);
    static_cast<void>(Field(pod, "list"));
    EXPECT_EQ(&Make(pod, {"0"}), first) << count << " fields";
  }
}

TEST(Fields, SetsOnlyWhatIsMissingAndCopiesWhatIsThere) {
  Json pod = Parse(R"({"a":1,"b":null,"list":7})");
  SetDefault(pod.get_object(), "a", 2);
  SetDefault(pod.get_object(), "b", 2);
  MakeArray(pod.get_object(), "list").emplace_back(3);
  EXPECT_EQ(pod, Parse(R"({"a":1,"b":2,"list":[3]})"));
  CopyField(Parse(R"({"a":5})").get_object(), pod.get_object(), "a");
  CopyField(Parse(R"({"a":5})").get_object(), pod.get_object(), "b");
  EXPECT_EQ(pod, Parse(R"({"a":5,"list":[3]})"));
}

TEST(Fields, PercentagesRoundAsAsked) {
  const Json quarter("25%");
  EXPECT_EQ(IntOrPercent(&quarter, 10, Rounding::kUp, 0), 3);
  EXPECT_EQ(IntOrPercent(&quarter, 10, Rounding::kDown, 0), 2);
  const Json two(2);
  EXPECT_EQ(IntOrPercent(&two, 10, Rounding::kUp, 0), 2);
  const Json nonsense("many");
  EXPECT_EQ(IntOrPercent(&nonsense, 10, Rounding::kUp, 7), 7);
  EXPECT_EQ(IntOrPercent(nullptr, 10, Rounding::kUp, 7), 7);
}

TEST(Metadata, TheLastFinalizerTakesTheListWithIt) {
  Json pod = Parse(R"({"metadata":{"finalizers":["a","b"]}})");
  EXPECT_TRUE(RemoveFinalizer(pod, "a"));
  EXPECT_FALSE(RemoveFinalizer(pod, "a"));
  EXPECT_TRUE(HasFinalizer(pod, "b"));
  EXPECT_TRUE(RemoveFinalizer(pod, "b"));
  EXPECT_EQ(pod, Parse(R"({"metadata":{}})"));
}

TEST(Metadata, AControllerKnowsWhatIsItsOwn) {
  const Json owner =
      Parse(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web","uid":"u1"}})");
  Json pod = Parse(R"({"metadata":{"ownerReferences":[{"uid":"u1","controller":false}]}})");
  EXPECT_FALSE(IsControlledBy(pod, owner));
  Make(pod, {"metadata"})["ownerReferences"] = boost::json::array{ControllerReference(owner)};
  EXPECT_TRUE(IsControlledBy(pod, owner));
}

TEST(Conditions, ATransitionIsAChangeOfStatusAndNothingElse) {
  Json status;
  SetCondition(status, {"Ready", "False", "Starting", "wait"}, Noon());
  SetCondition(status, {"Ready", "False", "Slow", ""}, Noon() + std::chrono::hours(1));
  EXPECT_EQ(status, Parse(R"({"conditions":[{"type":"Ready","status":"False",
      "lastTransitionTime":"2026-05-01T12:00:00Z","reason":"Slow"}]})"));
  SetCondition(status, {"Ready", "True", "", ""}, Noon() + std::chrono::hours(2));
  EXPECT_TRUE(IsTrue(status, "Ready"));
  EXPECT_EQ(Text(*FindCondition(status, "Ready"), {"lastTransitionTime"}), "2026-05-01T14:00:00Z");
  RemoveCondition(status, "Ready");
  EXPECT_EQ(status, Parse("{}"));
}

TEST(PodFacts, AvailableIsReadyForLongEnough) {
  const Json pod = Parse(R"({"status":{"phase":"Running","conditions":[{"type":"Ready",
      "status":"True","lastTransitionTime":"2026-05-01T12:00:00Z"}]}})");
  EXPECT_EQ(AvailableFrom(pod, 30), Noon() + std::chrono::seconds(30));
  EXPECT_EQ(AvailableFrom(Parse(R"({"status":{}})"), 0), std::nullopt);
}

TEST(PodFacts, TheHashOfATemplateDoesNotDependOnTheOrderOfItsMembers) {
  const Json a = Parse(R"({"metadata":{"labels":{"x":"1","y":"2"}},"spec":{"containers":[]}})");
  const Json b = Parse(R"({"spec":{"containers":[]},"metadata":{"labels":{"y":"2","x":"1"}}})");
  EXPECT_EQ(TemplateHash(a), TemplateHash(b));
  EXPECT_NE(TemplateHash(a), TemplateHash(a, 1));
  EXPECT_EQ(TemplateHash(a).find_first_of("aeiou013"), std::string::npos);
}

TEST(Write, AStatusThatIsTheSameIsNotWritten) {
  const Json set = Parse(R"({"metadata":{"name":"a"},"status":{"replicas":1}})");
  Reconciled reconciled;
  WriteStatusIfChanged(reconciled, set, Parse(R"({"replicas":1})"));
  EXPECT_TRUE(reconciled.writes.empty());
  WriteStatusIfChanged(reconciled, set, Parse(R"({"replicas":2})"));
  ASSERT_EQ(reconciled.writes.size(), 1U);
  EXPECT_EQ(Int(reconciled.writes[0].object, {"status", "replicas"}), 2);
}

TEST(EventAbout, SaysWhatWhyAndWho) {
  const Json pod = Parse(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"team","uid":"u"}})");
  const Write write = EventAbout(
      pod, {.reason = "Started", .message = "Started container", .source = "kubelet"}, Noon());
  EXPECT_EQ(write.verb, Verb::kCreate);
  EXPECT_EQ(NamespaceOf(write.object), "team");
  EXPECT_EQ(Text(write.object, {"involvedObject", "uid"}), "u");
  EXPECT_EQ(Text(write.object, {"type"}), "Normal");
  EXPECT_EQ(Text(write.object, {"firstTimestamp"}), "2026-05-01T12:00:00Z");
}

}  // namespace
}  // namespace gs::localcluster
