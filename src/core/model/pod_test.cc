#include "core/model/pod.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/model/names.h"

namespace gs::model {
namespace {

Pod Named(const std::string& name) {
  Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("u1")};
  return pod;
}

Pod OwnedBy(const std::string& kind, const std::string& name) {
  Pod pod = Named(name);
  pod.controller = Controller{kind, ControllerUid("c1")};
  return pod;
}

TEST(PodIndexOf, PrefersTheLabelOfTheStatefulSet) {
  Pod pod = OwnedBy("StatefulSet", "web-3");
  pod.labels.Set(names::kPodIndex, "5");
  pod.annotations.Set(names::kCompletionIndex, "6");
  EXPECT_EQ(PodIndexOf(pod), PodIndex(5));
}

TEST(PodIndexOf, ReadsTheCompletionIndexOfAJob) {
  Pod by_annotation = OwnedBy("Job", "train-0-x7k2p");
  by_annotation.annotations.Set(names::kCompletionIndex, "2");
  EXPECT_EQ(PodIndexOf(by_annotation), PodIndex(2));

  Pod by_label = OwnedBy("Job", "train-0-x7k2p");
  by_label.labels.Set(names::kCompletionIndex, "4");
  EXPECT_EQ(PodIndexOf(by_label), PodIndex(4));
}

TEST(PodIndexOf, ReadsTheNameOfStatefulSetAndBarePods) {
  EXPECT_EQ(PodIndexOf(OwnedBy("StatefulSet", "web-12")), PodIndex(12));
  EXPECT_EQ(PodIndexOf(Named("solo-7")), PodIndex(7));
  EXPECT_EQ(PodIndexOf(Named("a-1-2")), PodIndex(2));
}

TEST(PodIndexOf, DoesNotTrustTheNamesOfOtherControllers) {
  EXPECT_EQ(PodIndexOf(OwnedBy("ReplicaSet", "web-6d4b-12345")), PodIndex(0));
  EXPECT_EQ(PodIndexOf(OwnedBy("Job", "train-12345")), PodIndex(0));
}

TEST(PodIndexOf, IsZeroWithoutDigitsAtTheEnd) {
  for (const auto* name : {"solo", "solo7", "solo-", "solo-7a", "7", "solo--x"}) {
    EXPECT_EQ(PodIndexOf(Named(name)), PodIndex(0)) << name;
  }
  EXPECT_EQ(PodIndexOf(Named("solo-99999999999")), PodIndex(0));
}

TEST(PodIndexOf, PassesOverALabelThatIsNoNumber) {
  Pod pod = OwnedBy("StatefulSet", "web-3");
  pod.labels.Set(names::kPodIndex, "three");
  EXPECT_EQ(PodIndexOf(pod), PodIndex(3));
  pod.labels.Set(names::kPodIndex, "-1");
  EXPECT_EQ(PodIndexOf(pod), PodIndex(3));
}

TEST(Pod, IsTerminalOnlyWhenItWillNeverRunAgain) {
  Pod pod = Named("a");
  for (const auto phase : {PodPhase::kPending, PodPhase::kRunning, PodPhase::kUnknown}) {
    pod.phase = phase;
    EXPECT_FALSE(pod.is_terminal()) << ToString(phase);
  }
  for (const auto phase : {PodPhase::kSucceeded, PodPhase::kFailed}) {
    pod.phase = phase;
    EXPECT_TRUE(pod.is_terminal()) << ToString(phase);
  }
  pod.phase = PodPhase::kRunning;
  pod.is_terminating = true;
  EXPECT_FALSE(pod.is_terminal());
}

TEST(Pod, FindsItsAnnotations) {
  Pod pod = Named("a");
  EXPECT_EQ(FindAnnotation(pod, names::kClaim), nullptr);
  pod.annotations.Set(names::kClaim, "pair");
  ASSERT_NE(FindAnnotation(pod, names::kClaim), nullptr);
  EXPECT_EQ(*FindAnnotation(pod, names::kClaim), "pair");
}

TEST(Pod, PrintsWhatMatters) {
  Pod pod = Named("a");
  pod.phase = PodPhase::kRunning;
  pod.node = NodeName("node-a");
  pod.is_terminating = true;
  pod.requests.cpu_milli = 500;
  pod.requests.gpus = 2;
  std::ostringstream out;
  out << pod;
  EXPECT_EQ(out.str(),
            "pod team/a Running on node-a, terminating, requests cpu 500m, nvidia.com/gpu 2");
}

TEST(Pod, PrintsWhatKeepsItFromBeingPlaced) {
  Pod pod = Named("a");
  pod.rules->unsupported = {"spec.resourceClaims"};
  std::ostringstream out;
  out << pod;
  EXPECT_EQ(out.str(),
            "pod team/a Pending, spec.resourceClaims is not supported, requests nothing");
}

TEST(Pod, ConditionStatusesReadBack) {
  for (const auto status :
       {ConditionStatus::kTrue, ConditionStatus::kFalse, ConditionStatus::kUnknown}) {
    EXPECT_EQ(ParseConditionStatus(ToString(status)), status);
  }
  EXPECT_EQ(ParseConditionStatus("Maybe"), std::nullopt);
}

TEST(Pod, PhasesReadBack) {
  for (const auto phase : {PodPhase::kPending, PodPhase::kRunning, PodPhase::kSucceeded,
                           PodPhase::kFailed, PodPhase::kUnknown}) {
    EXPECT_EQ(ParsePodPhase(ToString(phase)), phase);
  }
  EXPECT_EQ(ParsePodPhase("Evicted"), std::nullopt);
}

}  // namespace
}  // namespace gs::model
