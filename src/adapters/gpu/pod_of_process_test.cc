#include "adapters/gpu/pod_of_process.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::gpu {
namespace {

const PodUid kPod("0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001");

TEST(PodInCgroup, ReadsBothDriversAndBothVersions) {
  EXPECT_EQ(
      PodInCgroup("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-"
                  "pod0f2c5d1a_9f3b_4c55_8a6e_2f1de1d4a001.slice/cri-containerd-ab12.scope\n"),
      kPod);
  EXPECT_EQ(PodInCgroup("0::/kubepods.slice/kubepods-"
                        "pod0f2c5d1a_9f3b_4c55_8a6e_2f1de1d4a001.slice/crio-ab12.scope"),
            kPod);
  EXPECT_EQ(
      PodInCgroup("12:memory:/kubepods/besteffort/pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001/ab\n"
                  "1:name=systemd:/\n0::/system.slice/containerd.service\n"),
      kPod);
}

TEST(PodInCgroup, ReadsPodsThatTheKubeletReadFromFiles) {
  EXPECT_EQ(PodInCgroup("0::/kubepods/burstable/pod0123456789abcdef0123456789abcdef/ab"),
            PodUid("0123456789abcdef0123456789abcdef"));
}

TEST(PodInCgroup, TakesTheInnermostPod) {
  EXPECT_EQ(PodInCgroup("0::/kubepods/pod11111111-1111-1111-1111-111111111111/ab/kubelet/kubepods/"
                        "pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001/cd"),
            kPod);
}

TEST(PodInCgroup, FindsNoPodWhereThereIsNone) {
  for (const auto* text :
       {"", "0::/user.slice/user-1000.slice/session-3.scope", "0::/kubepods",
        "0::/kubepods/podcast", "0::/pods/pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a001/ab",
        "0::/kubepods/pod0f2c5d1a-9f3b-4c55-8a6e-2f1de1d4a00/ab", "0::/kubepods/.slice",
        "0::/kubepods/pod0f2c5d1a+9f3b-4c55-8a6e-2f1de1d4a001/ab"}) {
    EXPECT_EQ(PodInCgroup(text), PodUid()) << text;
  }
}

TEST(PodOfProcess, IsNobodyWhereTheProcessIsGone) {
  EXPECT_EQ(PodOfProcess("/nowhere", 1), PodUid());
}

}  // namespace
}  // namespace gs::gpu
