#include "adapters/kube/fence/fence_lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOurs = RecordKey(SchedulerName("gpu-scheduler"));
const std::string kTheirs = RecordKey(SchedulerName("gpu-b"));

model::InFlightPod Entry(const std::string& name, std::vector<GpuId> ids) {
  return {.pod = {Namespace("team"), PodName(name), PodUid("u-" + name)},
          .noted = ResourceVersion("41"),
          .gpus = {NodeName("node-a"), std::move(ids)}};
}

ReleaseRecord Record(const std::string& scheduler) {
  ReleaseRecord record;
  record.scheduler = SchedulerName(scheduler);
  record.ns = Namespace("gpu-system");
  record.holder = {PodUid("u-1"), "p-1"};
  record.holder_pod = PodName(scheduler + "-0");
  record.transitions = 3;
  record.duration = seconds(15);
  record.acquired = TimePoint(seconds(1'700'000'000));
  record.renewed = TimePoint(seconds(1'700'000'009) + microseconds(5));
  record.write = 4;
  record.in_flight = {Entry("a", {GpuId(0), GpuId(1), GpuId(2), GpuId(5)}), Entry("b", {GpuId(7)})};
  record.in_flight[1].mode = model::AllocationMode::kMap;
  record.in_flight[1].controller = ControllerUid("c-1");
  record.in_flight[1].is_enforced = false;
  record.settled = ResourceVersion("40");
  return record;
}

FenceLease Fence() {
  FenceLease fence;
  fence.metadata = {.ns = Namespace("kube-system"),
                    .name = LeaseName("scheduler-fence"),
                    .uid = LeaseUid("l-1"),
                    .resource_version = ResourceVersion("9"),
                    .owners = {{.api_version = "rbac.authorization.k8s.io/v1",
                                .kind = "ClusterRole",
                                .name = "r",
                                .uid = "o-1",
                                .controller = true,
                                .block_owner_deletion = false}},
                    .finalizers = {"example.org/keep"},
                    .labels = {{"app.kubernetes.io/name", "gpu-scheduler"}},
                    .annotations = {{"meta.helm.sh/release-name", "r"}}};
  fence.records[kOurs] = Record("gpu-scheduler");
  fence.records[kTheirs] = Record("gpu-b");
  return fence;
}

FenceLease Decoded(const std::string& json) {
  const auto fence = DecodeFenceLease(json);
  EXPECT_TRUE(fence.ok()) << fence.error();
  return fence ? *fence : FenceLease();
}

// A fence with this text as the record of gpu-b.
FenceLease WithTheirText(const std::string& text) {
  FenceLease fence = Fence();
  fence.records.erase(kTheirs);
  fence.unreadable[kTheirs] = text;
  return Decoded(EncodeFenceLease(fence));
}

TEST(FenceLease, ReadsBackWhatWasWrittenAndKeepsWhatOthersWrote) {
  FenceLease fence = Fence();
  EXPECT_EQ(Decoded(EncodeFenceLease(fence)), fence);
  fence.unsettled = "p-1-1";
  fence.records[kOurs].unresolved = {{Namespace("team"), PodName("c"), PodUid("u-c")}};
  fence.records[kOurs].is_list_lost = true;
  EXPECT_EQ(Decoded(EncodeFenceLease(fence)), fence);
}

TEST(FenceLease, IsFoundByItsLabelAndShowsWhoLeads) {
  const std::string json = EncodeFenceLease(Fence());
  EXPECT_THAT(json, HasSubstr(R"("gpu.scheduling/role":"fence")"));
  EXPECT_THAT(json, HasSubstr("gpu-scheduler-0"));
  EXPECT_THAT(json, HasSubstr(R"("uid":"l-1","resourceVersion":"9")"));
  EXPECT_THAT(json, HasSubstr(R"("gpu.scheduling/releases":"2")"));
}

TEST(FenceLease, PrintsRunsOfGpus) {
  EXPECT_THAT(PrintRecord(Record("x")), HasSubstr(R"("node":"node-a","gpus":"0-2,5")"));
  EXPECT_THAT(PrintRecord(Record("x")), HasSubstr(R"("format":1,"scheduler":"x")"));
}

TEST(FenceLease, OneThatIsNotStoredYetHasNoPreconditions) {
  FenceLease fence = Fence();
  fence.metadata.uid = {};
  fence.metadata.resource_version = {};
  fence.metadata.owners.clear();
  const std::string json = EncodeFenceLease(fence);
  EXPECT_THAT(json, Not(HasSubstr("resourceVersion")));
  EXPECT_THAT(json, Not(HasSubstr("ownerReferences")));
}

TEST(FenceLease, ARecordThatCannotBeReadIsKeptAsItIs) {
  const std::string good = PrintRecord(Record("gpu-b"));
  const auto changed = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"),
        changed(R"("format":1)", R"("format":2)"),  // of a later version
        changed(R"("write":4)", R"("writes":4)"),   // a field that nobody knows
        changed(R"("gpus":"0-2,5")", R"("gpus":"0-2,2")"),
        changed(R"("gpus":"0-2,5")", R"("gpus":[0])"), changed(R"("uid":"u-a")", R"("uid":"")"),
        changed(R"("mode":"map")", R"("mode":"many")"),
        changed(R"("settled":"40")", R"("settled":"4x")"),
        changed(R"("acquired":"2)", R"("acquired":"x)"),
        changed(R"("inFlight":)", R"("inFlight":null,"unresolved":)"),
        changed(R"("scheduler":"gpu-b")", R"("scheduler":"gpu-c")"),  // under another's key
        changed(R"("transitions":3)", R"("transitions":-1)")}) {
    const FenceLease fence = WithTheirText(text);
    EXPECT_EQ(fence.unreadable.at(kTheirs), text);
    EXPECT_FALSE(fence.records.contains(kTheirs)) << text;
    EXPECT_EQ(FindRecord(fence, SchedulerName("gpu-b")), nullptr);
    EXPECT_TRUE(fence.records.contains(kOurs));
    EXPECT_FALSE(fence.unsettled.has_value());
    EXPECT_EQ(Decoded(EncodeFenceLease(fence)), fence);
  }
  EXPECT_TRUE(WithTheirText(good).records.contains(kTheirs));
}

TEST(FenceLease, OneThatMissesARecordIsUnsettled) {
  std::string json = EncodeFenceLease(Fence());
  const std::string key = "\"" + kTheirs + "\"";
  json.replace(json.find(key), key.size(), R"("somebody.else/has-it")");
  const FenceLease fence = Decoded(json);
  EXPECT_EQ(fence.unsettled, "incomplete at 9");
  // The mark stays with whoever writes next.
  EXPECT_EQ(Decoded(EncodeFenceLease(fence)), fence);
}

TEST(FenceLease, OneWithoutAnyRecordIsUnsettled) {
  const FenceLease fence = Decoded(
      R"({"metadata":{"name":"scheduler-fence","namespace":"kube-system","resourceVersion":"3"},"spec":{}})");
  EXPECT_EQ(fence.unsettled, "incomplete at 3");
  EXPECT_TRUE(fence.records.empty());
}

TEST(FenceLease, RefusesWhatIsNoLease) {
  EXPECT_FALSE(DecodeFenceLease("[]").ok());
  EXPECT_FALSE(DecodeFenceLease("").ok());
  EXPECT_FALSE(DecodeFenceLease(R"({"metadata":{"name":"scheduler-fence"}})").ok());
  EXPECT_FALSE(
      DecodeFenceLease(R"({"metadata":{"name":"f","namespace":"n","annotations":{"a":1}}})").ok());
}

TEST(FenceLease, AnnotationsAreCountedAsTheApiServerCountsThem) {
  FenceLease fence = Fence();
  const std::size_t before = AnnotationBytes(fence);
  fence.metadata.annotations["k"] = "four";
  EXPECT_EQ(AnnotationBytes(fence), before + 5);
  const std::size_t size = PrintedSize(Entry("c", {GpuId(3)}));
  fence.records[kOurs].in_flight.push_back(Entry("c", {GpuId(3)}));
  EXPECT_EQ(AnnotationBytes(fence), before + 5 + size);
}

// As long as names usually get, and the GPUs of a large machine with gaps between them.
TEST(FenceLease, FourReleasesWithFullListsFit) {
  FenceLease fence;
  for (int release = 0; release < 4; ++release) {
    const SchedulerName scheduler("gpu-scheduler-of-a-team-" + std::to_string(release));
    ReleaseRecord record = Record(scheduler.text());
    record.in_flight.clear();
    for (int i = 0; i < 128; ++i) {
      model::InFlightPod entry = Entry(std::string(63, 'p'), {});
      for (int gpu = 0; gpu < 16; gpu += 2) entry.gpus.ids.emplace_back(gpu);
      entry.pod.ns = Namespace(std::string(63, 'n'));
      entry.pod.uid = PodUid("01234567-89ab-cdef-0123-456789abcdef");
      entry.controller = ControllerUid("01234567-89ab-cdef-0123-456789abcdef");
      entry.mode = model::AllocationMode::kMap;
      entry.noted = ResourceVersion("123456789012");
      entry.gpus.node = NodeName(std::string(63, 'd'));
      record.in_flight.push_back(entry);
    }
    fence.records[RecordKey(scheduler)] = record;
  }
  EXPECT_LT(AnnotationBytes(fence), kMaxAnnotationBytes - 16UL * 1024);
}

}  // namespace
}  // namespace gs::kube
