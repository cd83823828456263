// One process that stands in the fence, at times and with answers that a test sets.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kube/fence/fence_steps.h"

namespace gs::kube {

inline const SchedulerName kUs("gpu-scheduler");
inline const SchedulerName kThem("gpu-b");

inline FenceSelf TestSelf() {
  return {.identity = {PodUid("pod-1"), "p-1"},
          .pod = PodName("scheduler-0"),
          .scheduler = kUs,
          .release_namespace = Namespace("gpu"),
          .fence_namespace = Namespace("kube-system")};
}

inline model::InFlightPod Entry(const std::string& name, int gpu) {
  return {.pod = {Namespace("team"), PodName(name), PodUid("u-" + name)},
          .noted = ResourceVersion("5"),
          .gpus = {NodeName("node-a"), {GpuId(gpu)}}};
}

// Held by a process that is not ours.
inline ReleaseRecord HeldRecord(const SchedulerName& scheduler) {
  ReleaseRecord record;
  record.scheduler = scheduler;
  record.ns = Namespace("gpu");
  record.holder = {PodUid("pod-2"), "other"};
  record.holder_pod = PodName("scheduler-1");
  record.transitions = 4;
  record.duration = std::chrono::seconds(15);
  record.write = 1;
  return record;
}

inline FenceLease FenceWith(std::vector<ReleaseRecord> records) {
  FenceLease fence;
  fence.metadata = {.ns = Namespace("kube-system"),
                    .name = LeaseName(std::string(kFenceName)),
                    .uid = LeaseUid("l-1"),
                    .resource_version = ResourceVersion("1")};
  for (ReleaseRecord& record : records) {
    fence.records[RecordKey(record.scheduler)] = std::move(record);
  }
  return fence;
}

inline FenceLease HeldByOther() {
  ReleaseRecord record = HeldRecord(kUs);
  record.in_flight = {Entry("a", 0)};
  return FenceWith({record});
}

// As one leaves it who resigns.
inline ReleaseRecord FreeRecord() {
  ReleaseRecord record = HeldRecord(kUs);
  record.holder = {};
  record.holder_pod = {};
  return record;
}

inline FenceAnswer Done(FenceLease fence) {
  return {.outcome = model::WriteOutcome::kDone, .fence = std::move(fence)};
}
inline FenceAnswer DoneEarlier(EarlierElection lease) {
  return {.outcome = model::WriteOutcome::kDone, .earlier = std::move(lease)};
}
inline FenceAnswer Only(model::WriteOutcome outcome) {
  return {.outcome = outcome, .reason = "because"};
}

class Process {
 public:
  // Far from zero, as boot clocks are.
  static constexpr Duration kStart = std::chrono::seconds(500);

  explicit Process(FenceOptions options = {}, FenceSelf self = TestSelf())
      : steps_(std::move(self), options) {}

  FenceStep Advance() {
    FenceStep step = steps_.Advance(Now());
    for (auto& event : step.events) events_.push_back(std::move(event));
    return step;
  }
  void Pass(Duration time) { now_ += time; }
  void Answer(const FenceAnswer& answer) { steps_.Answer(Now(), answer); }
  void ToWakeUp(const FenceStep& step) { now_ = step.wake_at; }
  bool HasNoRequest() { return !Advance().request.has_value(); }

  // The request that must come now.
  template <class Request>
  Request Next() {
    const FenceStep step = Advance();
    const auto* request = step.request ? std::get_if<Request>(&*step.request) : nullptr;
    EXPECT_NE(request, nullptr);
    return request ? *request : Request();
  }
  template <class Request>
  Request NextEarlier() {
    const EarlierRequest request = Next<EarlierRequest>();
    const auto* wanted = std::get_if<Request>(&request);
    EXPECT_NE(wanted, nullptr);
    return wanted ? *wanted : Request();
  }
  void Read(const FenceAnswer& answer) {
    (void)Next<ReadFence>();
    Answer(answer);
  }
  FenceLease Put() { return Next<PutFence>().fence; }
  // As the server answers it.
  FenceLease Stored(FenceLease fence) {
    fence.metadata.resource_version = ResourceVersion(std::to_string(++version_));
    return fence;
  }
  FenceLease PutDone() {
    FenceLease stored = Stored(Put());
    Answer(Done(stored));
    return stored;
  }
  // Leads since now.
  FenceLease Win(const FenceLease& from = FenceWith({FreeRecord()})) {
    Read(Done(from));
    return PutDone();
  }
  // A PUT that meets what somebody else has written.
  FenceLease Meet(const FenceLease& fence) {
    (void)Put();
    Answer(Only(model::WriteOutcome::kConflict));
    FenceLease stored = Stored(fence);
    Read(Done(stored));
    return stored;
  }

  template <class Event>
  std::vector<Event> Told() {
    (void)Advance();
    return Heard<Event>();
  }
  // Without a further step.
  template <class Event>
  std::vector<Event> Heard() const {
    std::vector<Event> told;
    for (const auto& event : events_) {
      if (const auto* found = std::get_if<Event>(&event)) told.push_back(*found);
    }
    return told;
  }
  std::string LostBecause() {
    const auto lost = Told<model::LeadershipLost>();
    return lost.size() == 1 ? lost.front().reason : std::to_string(lost.size()) + " times";
  }
  std::string WhyNot() {
    const auto told = Told<model::FenceStanding>();
    return told.empty() ? "nothing told" : told.back().why_not;
  }
  [[nodiscard]] bool leads() const { return Now().since_boot < steps_.leads_until(); }
  FenceSteps& steps() { return steps_; }
  [[nodiscard]] FenceTime Now() const {
    return {.since_boot = now_, .wall = TimePoint(std::chrono::seconds(7))};
  }

 private:
  FenceSteps steps_;
  Duration now_ = kStart;
  int version_ = 10;
  std::vector<model::Event> events_;
};

inline const ReleaseRecord& Ours(const FenceLease& fence) {
  return fence.records.at(RecordKey(kUs));
}
inline ReleaseRecord& Ours(FenceLease& fence) { return fence.records.at(RecordKey(kUs)); }
inline ReleaseRecord& Theirs(FenceLease& fence) { return fence.records[RecordKey(kThem)]; }

}  // namespace gs::kube
