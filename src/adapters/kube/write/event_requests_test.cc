#include "adapters/kube/write/event_requests.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "adapters/json/parse.h"

namespace gs::kube {
namespace {

const TimePoint kNow = *ParseTime("2026-05-01T12:00:00.123456789Z");
const EventSource kSource{SchedulerName("gpu-scheduler"), "gpu-scheduler-7d4-x"};

model::RecordEvent Failed(std::string message) {
  return {{Namespace("team"), PodName("a"), PodUid("u1")},
          model::EventType::kWarning,
          "FailedScheduling",
          std::move(message)};
}

boost::json::value Json(const std::string& text) { return *json::ParseJson(text); }

TEST(EventRequests, ANewEventIsAboutItsPod) {
  const auto write = CreateEventRequest(Failed("no GPU"), "a.0123", kSource, kNow);
  ASSERT_TRUE(write.ok()) << write.error();
  EXPECT_EQ(write->request.method, http::Method::kPost);
  EXPECT_EQ(write->request.target,
            "/apis/events.k8s.io/v1/namespaces/team/events?fieldManager=gpu-scheduler");
  EXPECT_EQ(Json(write->request.body), Json(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event",
    "metadata": {"name": "a.0123", "namespace": "team"},
    "eventTime": "2026-05-01T12:00:00.123456Z",
    "reportingController": "gpu-scheduler", "reportingInstance": "gpu-scheduler-7d4-x",
    "action": "Scheduling", "reason": "FailedScheduling", "type": "Warning", "note": "no GPU",
    "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": "team", "name": "a",
                  "uid": "u1"}})"));
}

TEST(EventRequests, WhereAPodHasNoNameTheEventIsAboutItsNode) {
  model::RecordEvent event = Failed("free again");
  event.pod = {{}, {}, PodUid("u1")};
  event.node = NodeName("n1");
  const auto write = CreateEventRequest(event, "n1.0123", kSource, kNow);
  ASSERT_TRUE(write.ok()) << write.error();
  EXPECT_EQ(write->request.target,
            "/apis/events.k8s.io/v1/namespaces/default/events?fieldManager=gpu-scheduler");
  EXPECT_EQ(Json(write->request.body).at("regarding"),
            Json(R"({"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "n1"})"));
}

TEST(EventRequests, ARepetitionChangesOnlyTheSeries) {
  const auto write = RepeatEventRequest(Namespace("team"), {"a.0123", 3}, kNow);
  ASSERT_TRUE(write.ok()) << write.error();
  EXPECT_EQ(write->request.method, http::Method::kPatch);
  EXPECT_EQ(write->request.target,
            "/apis/events.k8s.io/v1/namespaces/team/events/a.0123?fieldManager=gpu-scheduler");
  EXPECT_EQ(*write->request.headers.Find("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(Json(write->request.body),
            Json(R"({"series":{"count":3,"lastObservedTime":"2026-05-01T12:00:00.123456Z"}})"));
}

std::string NoteOf(const std::string& message) {
  const auto write = CreateEventRequest(Failed(message), "a.0123", kSource, kNow);
  const auto note = Json(write->request.body).at("note").as_string();
  return {note.data(), note.size()};
}

TEST(EventRequests, ALongNoteIsCutBetweenTwoCharacters) {
  EXPECT_EQ(NoteOf(std::string(1024, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(NoteOf(std::string(1025, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(NoteOf(std::string(1023, 'x') + "ä"), std::string(1023, 'x'));
  EXPECT_EQ(NoteOf(std::string(1022, 'x') + "ä"), std::string(1022, 'x') + "ä");
  EXPECT_EQ(NoteOf(std::string(1021, 'x') + "\U0001F600"), std::string(1021, 'x'));
}

RC_GTEST_PROP(EventRequests, ANoteIsAlwaysTextThatTheServerTakes, ()) {
  const auto letters = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"x", "ä", "€", "\U0001F600"}));
  std::string message(1016, 'x');
  for (const auto& letter : letters) message += letter;
  const std::string note = NoteOf(message);  // parsed again, which refuses half a character
  RC_ASSERT(note.size() <= 1024);
  RC_ASSERT(message.starts_with(note));
  RC_ASSERT(note.size() + 4 > std::min<std::size_t>(message.size(), 1024));
}

}  // namespace
}  // namespace gs::kube
