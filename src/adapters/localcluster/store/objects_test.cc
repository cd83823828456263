#include "adapters/localcluster/store/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

json::object Parse(std::string_view text) { return json::parse(text).as_object(); }

class ObjectsTest : public testing::Test {
 protected:
  ObjectsTest() { Create("namespaces", "", R"({"metadata":{"name":"default"}})"); }

  const Kind& KindOf(std::string_view resource) {
    kept_.push_back(kinds_.Find(resource));
    GS_CHECK(kept_.back() != nullptr);
    return *kept_.back();
  }
  json::object Create(std::string_view resource, const std::string& ns, std::string_view text) {
    const auto made = objects_.Create(KindOf(resource), ns, Parse(text));
    if (!made) {
      ADD_FAILURE() << made.status().message;
      return {};
    }
    return ParseStored((*made)->text);
  }
  json::object CreatePod(std::string_view text) { return Create("pods", "default", text); }
  json::object Load(std::string_view resource, std::string_view ns, std::string_view name) {
    const auto found = store_.Get(KindOf(resource).Key(ns, name));
    return found ? ParseStored(found->text) : json::object();
  }

  Store store_;
  Kinds kinds_;
  runtime::ManualClock clock_{TimePoint(seconds(1'700'000'000))};
  ObjectNames names_{1};
  std::vector<KindPtr> kept_;
  Objects objects_{store_, kinds_, clock_, names_};
};

TEST_F(ObjectsTest, WhoeverAdmitsHearsTheNameHoweverManyFieldsAnObjectHas) {
  std::string heard;
  Objects objects(store_, kinds_, clock_, names_, [&](Attempt& attempt) {
    heard = attempt.name;
    return Verdict();
  });
  for (int count = 0; count < 20; ++count) {
    const std::string name = "n" + std::to_string(count);
    json::object pod{{"metadata", json::object{{"name", name}}}};
    for (int i = 0; i < count; ++i) pod[std::to_string(i)] = i;
    EXPECT_TRUE(objects.Create(KindOf("pods"), "default", pod).ok());
    EXPECT_EQ(heard, name);
  }
}

TEST_F(ObjectsTest, CreateFillsInWhatTheServerKnows) {
  const auto pod = CreatePod(
      R"({"metadata":{"name":"a","uid":"mine","generation":7},"spec":{},"status":{"phase":"Done"}})");
  EXPECT_EQ(Text(pod, {"metadata", "namespace"}), "default");
  EXPECT_EQ(Text(pod, {"metadata", "creationTimestamp"}), "2023-11-14T22:13:20Z");
  EXPECT_EQ(Text(pod, {"metadata", "uid"}).size(), 36U);
  EXPECT_EQ(MaybeInt(pod, {"metadata", "generation"}), 1);
  EXPECT_EQ(Text(pod, {"apiVersion"}), "v1");
  EXPECT_EQ(Find(pod, {"status"}), nullptr);
}

TEST_F(ObjectsTest, GeneratedNamesBeginAsAsked) {
  const auto pod = CreatePod(R"({"metadata":{"generateName":"web-"},"spec":{}})");
  EXPECT_THAT(std::string(Text(pod, {"metadata", "name"})), StartsWith("web-"));
  EXPECT_EQ(Text(pod, {"metadata", "name"}).size(), 9U);
}

TEST_F(ObjectsTest, CreateRefusesAsTheRealServer) {
  CreatePod(R"({"metadata":{"name":"a"},"spec":{}})");
  const auto& pods = KindOf("pods");
  const auto twice = objects_.Create(pods, "default", Parse(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(twice.status().message, R"(pods "a" already exists)");
  EXPECT_EQ(twice.status().reason, "AlreadyExists");
  const auto nowhere = objects_.Create(pods, "no", Parse(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(nowhere.status().message, R"(namespaces "no" not found)");
  const auto nameless = objects_.Create(pods, "default", Parse("{}"));
  EXPECT_EQ(
      nameless.status().message,
      R"(Pod "" is invalid: metadata.name: Required value: name or generateName is required)");
  const auto moved =
      objects_.Create(pods, "default", Parse(R"({"metadata":{"name":"b","namespace":"other"}})"));
  EXPECT_EQ(moved.status().code, 400);
}

TEST_F(ObjectsTest, UpdateNeedsTheLatestState) {
  auto pod = CreatePod(R"({"metadata":{"name":"a"},"spec":{"x":1}})");
  auto stale = pod;
  pod["spec"].as_object()["x"] = 2;
  const auto first = objects_.Update(KindOf("pods"), "default", "a", pod);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(MaybeInt(Load("pods", "default", "a"), {"metadata", "generation"}), 2);
  const auto second = objects_.Update(KindOf("pods"), "default", "a", stale);
  EXPECT_EQ(second.status().message,
            R"(Operation cannot be fulfilled on pods "a": the object has been modified; please )"
            R"(apply your changes to the latest version and try again)");
  EXPECT_EQ(second.status().code, 409);
}

TEST_F(ObjectsTest, UpdateLeavesTheStatusAlone) {
  auto pod = CreatePod(R"({"metadata":{"name":"a"},"spec":{"x":1}})");
  pod["status"] = json::object{{"phase", "Running"}};
  EXPECT_FALSE(objects_.Update(KindOf("pods"), "default", "a", pod)->is_changed);
  EXPECT_TRUE(objects_.Update(KindOf("pods"), "default", "a", pod, Part::kStatus)->is_changed);
  const auto now = Load("pods", "default", "a");
  EXPECT_EQ(Text(now, {"status", "phase"}), "Running");
  EXPECT_EQ(MaybeInt(now, {"metadata", "generation"}), 1);
}

TEST_F(ObjectsTest, AChangeOfTheStatusChangesNothingElse) {
  CreatePod(R"({"metadata":{"name":"a"},"spec":{"x":1}})");
  const auto edit = [](json::object& pod) -> Verdict {
    pod["spec"] = json::object{{"x", 9}};
    Make(pod, {"status"})["phase"] = "Failed";
    return std::nullopt;
  };
  ASSERT_TRUE(objects_.Change(KindOf("pods"), "default", "a", edit, Part::kStatus).ok());
  const auto now = Load("pods", "default", "a");
  EXPECT_EQ(MaybeInt(now, {"spec", "x"}), 1);
  EXPECT_EQ(Text(now, {"status", "phase"}), "Failed");
}

TEST_F(ObjectsTest, APatchCannotMakeAnObjectAnother) {
  CreatePod(R"({"metadata":{"name":"a"}})");
  const auto written =
      objects_.Change(KindOf("pods"), "default", "a", [](json::object& pod) -> Verdict {
        Make(pod, {"metadata"})["uid"] = "other";
        return std::nullopt;
      });
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.status().code, 422);
  EXPECT_EQ(written.status().message,
            R"(Pod "a" is invalid: metadata.uid: Invalid value: "other": field is immutable)");
}

TEST_F(ObjectsTest, CustomAndLeaseUpdatesNeedAResourceVersion) {
  Create("leases.coordination.k8s.io", "default", R"({"metadata":{"name":"l"},"spec":{}})");
  const auto written =
      objects_.Update(KindOf("leases.coordination.k8s.io"), "default", "l",
                      Parse(R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"x"}})"));
  EXPECT_EQ(written.status().message,
            R"(Lease.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: )"
            "0: must be specified for an update");
}

TEST_F(ObjectsTest, APodThatNeverRanIsGoneAtOnce) {
  CreatePod(R"({"metadata":{"name":"a"},"spec":{}})");
  const auto deleted = objects_.Delete(KindOf("pods"), "default", "a");
  EXPECT_TRUE(deleted->is_gone);
  EXPECT_EQ(store_.Get(KindOf("pods").Key("default", "a")), nullptr);
  EXPECT_EQ(objects_.Delete(KindOf("pods"), "default", "a").status().message,
            R"(pods "a" not found)");
}

TEST_F(ObjectsTest, ARunningPodGetsItsGrace) {
  CreatePod(R"({"metadata":{"name":"a"},
                "spec":{"nodeName":"n","terminationGracePeriodSeconds":30}})");
  const auto& pods = KindOf("pods");
  EXPECT_FALSE(objects_.Delete(pods, "default", "a")->is_gone);
  const auto marked = Load("pods", "default", "a");
  EXPECT_EQ(Text(marked, {"metadata", "deletionTimestamp"}), "2023-11-14T22:13:50Z");
  EXPECT_EQ(MaybeInt(marked, {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(MaybeInt(marked, {"metadata", "generation"}), 2);
  const auto revision = store_.revision();
  EXPECT_FALSE(objects_.Delete(pods, "default", "a")->is_gone);
  EXPECT_EQ(store_.revision(), revision) << "asking again changes nothing";
  EXPECT_FALSE(objects_.Delete(pods, "default", "a", {.grace_seconds = 5})->is_gone);
  EXPECT_EQ(Text(Load("pods", "default", "a"), {"metadata", "deletionTimestamp"}),
            "2023-11-14T22:13:25Z");
  EXPECT_TRUE(objects_.Delete(pods, "default", "a", {.grace_seconds = 0})->is_gone);
}

TEST_F(ObjectsTest, FinalizersHoldADeletedObject) {
  Create("configmaps", "default", R"({"metadata":{"name":"c","finalizers":["x/y"]}})");
  const auto& maps = KindOf("configmaps");
  EXPECT_FALSE(objects_.Delete(maps, "default", "c")->is_gone);
  const auto add = [](json::object& object) -> Verdict {
    object["metadata"].as_object()["finalizers"] = json::array{"x/y", "z/w"};
    return std::nullopt;
  };
  EXPECT_THAT(objects_.Change(maps, "default", "c", add).status().message,
              HasSubstr(R"(found new finalizers []string{"z/w"})"));
  const auto release = [](json::object& object) -> Verdict {
    object["metadata"].as_object().erase("finalizers");
    return std::nullopt;
  };
  EXPECT_TRUE(objects_.Change(maps, "default", "c", release)->is_removed);
  EXPECT_EQ(store_.Get(maps.Key("default", "c")), nullptr);
}

TEST_F(ObjectsTest, ForegroundAndOrphanAreFinalizers) {
  Create("configmaps", "default", R"({"metadata":{"name":"c"}})");
  const auto& maps = KindOf("configmaps");
  EXPECT_FALSE(
      objects_.Delete(maps, "default", "c", {.propagation = Propagation::kForeground})->is_gone);
  EXPECT_EQ(
      json::serialize(*FindArray(Load("configmaps", "default", "c"), {"metadata", "finalizers"})),
      R"(["foregroundDeletion"])");
}

TEST_F(ObjectsTest, DeletePreconditionsMustHold) {
  const auto pod = CreatePod(R"({"metadata":{"name":"a"},"spec":{}})");
  const auto& pods = KindOf("pods");
  const auto refused = objects_.Delete(pods, "default", "a", {.uid = "other"});
  EXPECT_EQ(refused.status().code, 409);
  EXPECT_THAT(refused.status().message, HasSubstr("the UID in the precondition (other)"));
  EXPECT_FALSE(objects_.Delete(pods, "default", "a", {.resource_version = "1"}).ok());
  const std::string uid(Text(pod, {"metadata", "uid"}));
  EXPECT_TRUE(objects_.Delete(pods, "default", "a", {.uid = uid}).ok());
}

TEST_F(ObjectsTest, ANamespaceWaitsForItsContents) {
  Create("namespaces", "", R"({"metadata":{"name":"team"},"spec":{"finalizers":["kubernetes"]}})");
  const auto& namespaces = KindOf("namespaces");
  EXPECT_FALSE(objects_.Delete(namespaces, "", "team")->is_gone);
  EXPECT_EQ(Text(Load("namespaces", "", "team"), {"status", "phase"}), "Terminating");
  EXPECT_EQ(objects_.Create(KindOf("pods"), "team", Parse(R"({"metadata":{"name":"a"}})"))
                .status()
                .message,
            R"(pods "a" is forbidden: unable to create new content in namespace team because it )"
            "is being terminated");
  const auto finish = [](json::object& object) -> Verdict {
    object["spec"].as_object().erase("finalizers");
    return std::nullopt;
  };
  EXPECT_TRUE(objects_.Change(namespaces, "", "team", finish, Part::kFinalize)->is_removed);
}

TEST_F(ObjectsTest, ADryRunChangesNothing) {
  const auto revision = store_.revision();
  const auto made = objects_.Create(KindOf("configmaps"), "default",
                                    Parse(R"({"metadata":{"name":"c"}})"), {.is_dry_run = true});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)->name, "c");
  EXPECT_EQ(store_.revision(), revision);
}

TEST_F(ObjectsTest, PutMakesALeaseThatIsNotThere) {
  const auto& leases = KindOf("leases.coordination.k8s.io");
  ASSERT_TRUE(objects_
                  .Update(leases, "default", "l",
                          Parse(R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"x"}})"))
                  .ok());
  EXPECT_EQ(Text(Load("leases.coordination.k8s.io", "default", "l"), {"spec", "holderIdentity"}),
            "x");
}

}  // namespace
}  // namespace gs::localcluster
