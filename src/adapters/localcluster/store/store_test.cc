#include "adapters/localcluster/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <thread>

#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

json::object Object(const std::string& ns, const std::string& name, int value = 0) {
  return {{"apiVersion", "v1"},
          {"kind", "Thing"},
          {"metadata", {{"name", name}, {"namespace", ns}, {"labels", {{"b", "2"}, {"a", "1"}}}}},
          {"spec", {{"value", value}}}};
}

ObjectKey Key(const std::string& ns, const std::string& name) {
  return {.resource = "things", .ns = ns, .name = name};
}

Written Put(Store& store, const std::string& ns, const std::string& name, int value = 0) {
  auto written = store.Write(Key(ns, name), [&](const StoredObject*) -> Answer<Next> {
    return Next(Object(ns, name, value));
  });
  EXPECT_TRUE(written.ok());
  return *written;
}

Written Take(Store& store, const std::string& ns, const std::string& name) {
  return *store.Write(Key(ns, name),
                      [](const StoredObject*) -> Answer<Next> { return Next(Remove{}); });
}

std::vector<std::string> NamesOf(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> names;
  for (const auto& object : objects) names.push_back(object->ns + "/" + object->name);
  return names;
}

std::vector<std::string> Tell(const std::vector<Change>& changes) {
  std::vector<std::string> told;
  for (const auto& change : changes) {
    const char* kind = change.kind == ChangeKind::kAdded      ? "+"
                       : change.kind == ChangeKind::kModified ? "~"
                                                              : "-";
    told.push_back(kind + change.object->name + "@" + std::to_string(change.object->revision));
  }
  return told;
}

TEST(Store, WritesTheRevisionIntoTheText) {
  Store store;
  const auto written = Put(store, "default", "a");
  EXPECT_EQ(written.object->text,
            R"({"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","namespace":"default",)"
            R"("resourceVersion":"2","labels":{"b":"2","a":"1"}},"spec":{"value":0}})");
  EXPECT_EQ(written.object->text.substr(written.object->body_at, 11), "\"metadata\":");
  EXPECT_THAT(written.object->labels,
              ElementsAre(testing::Pair("a", "1"), testing::Pair("b", "2")));
}

TEST(Store, AWriteThatChangesNothingDoesNotCount) {
  Store store;
  Put(store, "default", "a", 7);
  EXPECT_FALSE(Put(store, "default", "a", 7).is_changed);
  auto reordered = Object("default", "a", 7);
  const auto spec = reordered["spec"];
  reordered.erase("spec");
  reordered["metadata"].as_object()["labels"] = json::object{{"a", "1"}, {"b", "2"}};
  reordered["spec"] = spec;
  const auto written = store.Write(
      Key("default", "a"), [&](const StoredObject*) -> Answer<Next> { return Next(reordered); });
  EXPECT_FALSE(written->is_changed);
  EXPECT_EQ(store.revision(), 2U);
}

TEST(Store, ListsInTheOrderOfEtcd) {
  Store store;
  for (const auto* ns : {"a", "a-b", "b"}) Put(store, ns, "x");
  Put(store, "a", "w");
  EXPECT_THAT(NamesOf(store.List("things").objects), ElementsAre("a-b/x", "a/w", "a/x", "b/x"));
  EXPECT_THAT(NamesOf(store.List("things", "a").objects), ElementsAre("a/w", "a/x"));
  EXPECT_EQ(store.List("others").objects.size(), 0U);
  EXPECT_EQ(store.List("things").revision, 5U);
}

TEST(Store, KeepsFieldsToSelectBy) {
  Store store;
  store.DefineFields("things", {"spec.value", "status.phase"});
  EXPECT_THAT(Put(store, "default", "a", 3).object->fields, ElementsAre("3", ""));
}

TEST(Store, TellsChangesInOrder) {
  Store store;
  Put(store, "default", "a");
  Put(store, "default", "b");
  Put(store, "default", "a", 1);
  const auto gone = Take(store, "default", "b");
  EXPECT_TRUE(gone.is_removed);
  const auto changes = store.ReadChanges("things", 0, 100);
  EXPECT_FALSE(changes.is_gone);
  EXPECT_THAT(Tell(changes.changes), ElementsAre("+a@2", "+b@3", "~a@4", "-b@5"));
  EXPECT_EQ(changes.through, 5U);
  EXPECT_EQ(ParseStored(changes.changes[3].object->text)["metadata"].at("resourceVersion"), "5");
  EXPECT_THAT(Tell(store.ReadChanges("things", 3, 1).changes), ElementsAre("~a@4"));
  EXPECT_EQ(store.ReadChanges("things", 3, 1).through, 4U);
}

TEST(Store, RemovingWhatIsNotThereChangesNothing) {
  Store store;
  const auto written = Take(store, "default", "a");
  EXPECT_FALSE(written.is_removed);
  EXPECT_EQ(written.object, nullptr);
  EXPECT_EQ(store.revision(), 1U);
}

TEST(Store, ASlowWatcherLearnsThatItIsTooLate) {
  Store store({.max_changes = 3, .max_old_bytes = std::size_t{1} << 20});
  for (int i = 0; i < 5; ++i) Put(store, "default", "a", i);
  EXPECT_TRUE(store.ReadChanges("things", 2, 100).is_gone);
  EXPECT_THAT(Tell(store.ReadChanges("things", 3, 100).changes),
              ElementsAre("~a@4", "~a@5", "~a@6"));
}

TEST(Store, ForgetsByBytesAsWell) {
  Store store({.max_changes = 1000, .max_old_bytes = 1000});
  for (int i = 0; i < 50; ++i) Put(store, "default", "a", i);
  EXPECT_TRUE(store.ReadChanges("things", 2, 100).is_gone);
  EXPECT_FALSE(store.ReadChanges("things", 50, 100).is_gone);
}

TEST(Store, ListsThePastWhileItRemembersIt) {
  Store store({.max_changes = 4, .max_old_bytes = std::size_t{1} << 20});
  Put(store, "default", "a");
  Put(store, "default", "b");
  Put(store, "default", "a", 1);
  Take(store, "default", "b");
  Put(store, "default", "c");
  const auto past = store.ListAt("things", "", 3);
  ASSERT_TRUE(past.has_value());
  EXPECT_THAT(NamesOf(past->objects), ElementsAre("default/a", "default/b"));
  EXPECT_EQ(past->objects[0]->revision, 2U);
  EXPECT_FALSE(store.ListAt("things", "", 1).has_value());
  EXPECT_FALSE(store.ListAt("things", "", 99).has_value());
}

TEST(Store, ARefusalStoresNothing) {
  Store store;
  const auto written = store.Write(
      Key("default", "a"), [](const StoredObject*) -> Answer<Next> { return BadRequest("no"); });
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.status().message, "no");
  EXPECT_EQ(store.Get(Key("default", "a")), nullptr);
}

TEST(Store, NoWriteOfManyThreadsIsLost) {
  Store store;
  Put(store, "default", "a");
  constexpr int kThreads = 4;
  constexpr int kWrites = 200;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kWrites; ++j) {
          (void)store.Write(Key("default", "a"), [](const StoredObject* now) -> Answer<Next> {
            auto object = ParseStored(now->text);
            auto& value = object["spec"].as_object()["value"];
            value = value.as_int64() + 1;
            return Next(std::move(object));
          });
        }
      });
    }
  }
  const auto object = ParseStored(store.Get(Key("default", "a"))->text);
  EXPECT_EQ(object.at("spec").at("value"), kThreads * kWrites);
  EXPECT_EQ(store.revision(), 2U + kThreads * kWrites);
}

TEST(Store, WakesThoseWhoWantToKnow) {
  Store store;
  auto things = std::make_shared<std::atomic<int>>(0);
  auto all = std::make_shared<std::atomic<int>>(0);
  auto handle = store.OnChange("things", [things] { ++*things; });
  const auto other = store.OnChange("others", [] { FAIL() << "nothing changed here"; });
  const auto every = store.OnChange("", [all] { ++*all; });
  Put(store, "default", "a");
  Put(store, "default", "a");  // the same
  EXPECT_EQ(*things, 1);
  EXPECT_EQ(*all, 1);
  handle.reset();
  Put(store, "default", "a", 1);
  EXPECT_EQ(*things, 1);
  EXPECT_EQ(*all, 2);
}

}  // namespace
}  // namespace gs::localcluster
