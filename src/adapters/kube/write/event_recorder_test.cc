#include "adapters/kube/write/event_recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/json/parse.h"
#include "adapters/kube/write/server_for_test.h"

namespace gs::kube {
namespace {

model::RecordEvent Failed(std::string message) {
  return {{Namespace("team"), PodName("a"), PodUid("u1")},
          model::EventType::kWarning,
          "FailedScheduling",
          std::move(message)};
}

EventRecorderOptions Options() {
  return {.source = {SchedulerName("gpu-scheduler"), "one"},
          .max_waiting = 1024,
          .timeout = std::chrono::seconds(10),
          .series = {}};
}

http::Response Created(const http::Request&) { return {.status = 201}; }

// The counts, once `is_there` holds for them; whatever they are after ten seconds.
template <class IsThere>
EventCounts CountsWhen(const EventRecorder& recorder, IsThere is_there) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  EventCounts counts = recorder.counts();
  while (!is_there(counts) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
    counts = recorder.counts();
  }
  return counts;
}

TEST(EventRecorder, WritesAnEventAndThenCountsIt) {
  ServerForTest server(Created);
  server.clock().SetWallTime(*ParseTime("2026-05-01T12:00:00Z"));
  EventRecorder recorder(server.client(), server.clock(), Options());
  recorder.Record(Failed("no GPU"));
  recorder.Record(Failed("no GPU"));
  const auto requests = server.Await(2);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, http::Method::kPost);
  const auto created = *json::ParseJson(requests[0].body);
  EXPECT_EQ(created.at("eventTime"), "2026-05-01T12:00:00.000000Z");
  EXPECT_EQ(created.at("reportingInstance"), "one");
  EXPECT_EQ(requests[1].method, http::Method::kPatch);
  const std::string name(created.at("metadata").at("name").as_string());
  EXPECT_EQ(requests[1].target, "/apis/events.k8s.io/v1/namespaces/team/events/" + name +
                                    "?fieldManager=gpu-scheduler");
  EXPECT_EQ(json::ParseJson(requests[1].body)->at("series").at("count"), 2);
  const auto counts = CountsWhen(recorder, [](auto now) { return now.written == 2; });
  EXPECT_EQ(counts, (EventCounts{.written = 2}));
}

TEST(EventRecorder, ALostEventIsCountedAndTheNextStartsAnew) {
  ServerForTest server([](const http::Request& request) {
    const bool is_patch = request.method == http::Method::kPatch;
    return http::Response{.status = is_patch ? 404 : 201};
  });
  EventRecorder recorder(server.client(), server.clock(), Options());
  for (int i = 0; i < 3; ++i) recorder.Record(Failed("no GPU"));
  const auto requests = server.Await(3);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].method, http::Method::kPatch);
  EXPECT_EQ(requests[2].method, http::Method::kPost);
  const auto counts = CountsWhen(recorder, [](auto now) { return now.written == 2; });
  EXPECT_EQ(counts, (EventCounts{.written = 2, .failed = 1}));
}

TEST(EventRecorder, TooManyAboutOnePodAreLimited) {
  ServerForTest server(Created);
  EventRecorder recorder(server.client(), server.clock(), Options());
  for (int i = 0; i < 40; ++i) recorder.Record(Failed(std::to_string(i)));
  const auto counts =
      CountsWhen(recorder, [](auto now) { return now.written + now.limited == 40; });
  EXPECT_EQ(counts, (EventCounts{.written = 25, .limited = 15}));
}

TEST(EventRecorder, NeverWaitsForAServerThatDoesNotAnswer) {
  ServerForTest server([](const http::Request&) { return std::nullopt; });
  EventRecorderOptions options = Options();
  options.max_waiting = 4;
  options.timeout = std::chrono::minutes(10);
  EventRecorder recorder(server.client(), server.clock(), options);
  recorder.Record(Failed("first"));
  ASSERT_EQ(server.Await(1).size(), 1U);  // the thread is busy from here on
  for (int i = 0; i < 10; ++i) recorder.Record(Failed(std::to_string(i)));
  EXPECT_EQ(recorder.counts(), (EventCounts{.overflow = 6}));
  // Its end cancels what is running instead of waiting ten minutes.
}

TEST(EventRecorder, GoesOnAfterAServerThatDidNotAnswer) {
  ServerForTest server([](const http::Request& request) -> std::optional<http::Response> {
    if (request.body.find("silence") != std::string::npos) return std::nullopt;
    return http::Response{.status = 201};
  });
  EventRecorderOptions options = Options();
  options.timeout = std::chrono::seconds(2);
  EventRecorder recorder(server.client(), server.clock(), options);
  recorder.Record(Failed("silence"));
  recorder.Record(Failed("then"));
  const auto counts = CountsWhen(recorder, [](auto now) { return now.written + now.failed == 2; });
  EXPECT_EQ(counts, (EventCounts{.written = 1, .failed = 1}));
}

}  // namespace
}  // namespace gs::kube
