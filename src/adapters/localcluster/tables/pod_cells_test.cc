#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "adapters/localcluster/tables/cells.h"

namespace gs::localcluster {
namespace {

using testing::ElementsAre;

const TimePoint kNow = ParseTime("2024-05-01T12:00:00Z").value();

// Ready, Status and Restarts of a pod with this spec and status.
std::vector<std::string> Shown(const std::string& spec, const std::string& status,
                               const std::string& metadata = "{}") {
  const auto pod = boost::json::parse(R"({"metadata":)" + metadata + R"(,"spec":)" + spec +
                                      R"(,"status":)" + status + "}");
  const auto cells = PodCells(pod.get_object(), kNow);
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < 4; ++i) texts.emplace_back(cells.at(i).as_string());
  return texts;
}

constexpr const char* kTwo = R"({"containers":[{"name":"a"},{"name":"b"}]})";
constexpr const char* kWithInit =
    R"({"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"}]})";
constexpr const char* kWithSidecar =
    R"({"initContainers":[{"name":"s","restartPolicy":"Always"}],"containers":[{"name":"a"}]})";

TEST(PodCells, APodThatWaits) {
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Pending"})"), ElementsAre("0/2", "Pending", "0"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Pending","conditions":[
                  {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]})"),
              ElementsAre("0/2", "SchedulingGated", "0"));
}

TEST(PodCells, APodThatRuns) {
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Running","containerStatuses":[
                  {"name":"a","ready":true,"restartCount":2,"state":{"running":{}},
                   "lastState":{"terminated":{"finishedAt":"2024-05-01T11:59:00Z"}}},
                  {"name":"b","ready":false,"restartCount":1,"state":{"running":{}}}]})"),
              ElementsAre("1/2", "Running", "3 (60s ago)"));
}

TEST(PodCells, APodThatFails) {
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Running","containerStatuses":[
                  {"name":"a","restartCount":5,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]})"),
              ElementsAre("0/2", "CrashLoopBackOff", "5"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Failed","containerStatuses":[
                  {"name":"a","state":{"terminated":{"exitCode":3}}}]})"),
              ElementsAre("0/2", "ExitCode:3", "0"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Failed","reason":"Evicted"})"),
              ElementsAre("0/2", "Evicted", "0"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Failed","containerStatuses":[
                  {"name":"a","state":{"terminated":{"exitCode":137,"signal":9}}}]})"),
              ElementsAre("0/2", "Signal:9", "0"));
}

TEST(PodCells, APodThatIsDone) {
  constexpr const char* kDone = R"("state":{"terminated":{"exitCode":0,"reason":"Completed"}})";
  EXPECT_THAT(Shown(kTwo, std::string(R"({"phase":"Succeeded","containerStatuses":[{"name":"a",)") +
                              kDone + "}]}"),
              ElementsAre("0/2", "Completed", "0"));
  EXPECT_THAT(Shown(kTwo, std::string(R"({"phase":"Running","containerStatuses":[{"name":"a",)") +
                              kDone + R"(},{"name":"b","ready":true,"state":{"running":{}}}]})"),
              ElementsAre("1/2", "NotReady", "0"));
}

TEST(PodCells, APodThatStarts) {
  EXPECT_THAT(Shown(kWithInit, R"({"phase":"Pending","initContainerStatuses":[
                  {"name":"i","state":{"terminated":{"exitCode":0}}},
                  {"name":"j","state":{"running":{}}}]})"),
              ElementsAre("0/1", "Init:1/2", "0"));
  EXPECT_THAT(Shown(kWithInit, R"({"phase":"Pending","initContainerStatuses":[
                  {"name":"i","restartCount":1,
                   "state":{"waiting":{"reason":"ImagePullBackOff"}}}]})"),
              ElementsAre("0/1", "Init:ImagePullBackOff", "1"));
  EXPECT_THAT(Shown(kWithInit, R"({"phase":"Pending","initContainerStatuses":[
                  {"name":"i","state":{"terminated":{"exitCode":1,"reason":"Error"}}}]})"),
              ElementsAre("0/1", "Init:Error", "0"));
}

TEST(PodCells, ASidecarCountsAsAContainer) {
  EXPECT_THAT(Shown(kWithSidecar, R"({"phase":"Running",
                  "initContainerStatuses":[{"name":"s","started":true,"ready":true,
                                            "restartCount":2,"state":{"running":{}}}],
                  "containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]})"),
              ElementsAre("2/2", "Running", "2"));
}

TEST(PodCells, APodThatGoes) {
  constexpr const char* kLeaving = R"({"deletionTimestamp":"2024-05-01T11:59:59Z"})";
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Running"})", kLeaving),
              ElementsAre("0/2", "Terminating", "0"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Succeeded"})", kLeaving),
              ElementsAre("0/2", "Succeeded", "0"));
  EXPECT_THAT(Shown(kTwo, R"({"phase":"Running","reason":"NodeLost"})", kLeaving),
              ElementsAre("0/2", "Unknown", "0"));
}

}  // namespace
}  // namespace gs::localcluster
