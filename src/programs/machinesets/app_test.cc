#include "programs/machinesets/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/json/parse.h"
#include "programs/machinesets/status.h"
#include "programs/machinesets/verify.h"

namespace gs::machinesets {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOffline = GS_SOURCE_DIR "/tests/openshift/offline/";

struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

Ended RunWith(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = Run(args, "1.0", out, err);
  return {code, out.str(), err.str()};
}

boost::json::value Object(std::string_view text) {
  auto value = json::ParseJson(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : boost::json::value();
}

TEST(MachineSetProgram, ShowsWhatAClusterWouldGet) {
  const Ended log = RunWith({"--offline", kOffline + "aws-default"});
  EXPECT_EQ(log.code, kExitDone) << log.err;
  EXPECT_THAT(log.out, HasSubstr("GPU MachineSet Generator - Dynamic Generation\n"));
  EXPECT_THAT(log.out, HasSubstr("Availability Zone: us-east-2a\n"));
  const Ended yaml = RunWith({"--offline", kOffline + "aws-default", "--output", "yaml"});
  EXPECT_EQ(yaml.out.find("apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\n"), 0U);
  EXPECT_THAT(yaml.err, HasSubstr("GPU MachineSet Generation Complete"));
  const Ended table =
      RunWith({"--offline", kOffline + "aws-default", "--zones", "all", "-o", "table"});
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 7);
}

// A folder with the cluster of a case and a file more, for as long as this lives.
class FolderWith {
 public:
  FolderWith(const std::string& name, const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / "machinesets-folder") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
    std::filesystem::copy_file(kOffline + name + "/cluster.yaml", path_ / "cluster.yaml");
    std::ofstream(path_ / "more.yaml") << text;
  }
  ~FolderWith() { std::filesystem::remove_all(path_); }
  FolderWith(const FolderWith&) = delete;
  FolderWith& operator=(const FolderWith&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

TEST(MachineSetProgram, ForeseesWhatHappensToSetsThatAreThere) {
  const Ended made = RunWith({"--offline", kOffline + "aws-default", "--output", "yaml"});
  const FolderWith folder("aws-default", made.out);
  EXPECT_THAT(RunWith({"--offline", folder.path()}).out, HasSubstr("Nothing has changed."));
  const Ended changed = RunWith({"--offline", folder.path(), "--disk", "300"});
  EXPECT_THAT(changed.out, HasSubstr("Would have updated MachineSet: cluster-zpqdx-xxm9n-gpu-g6-"));
  EXPECT_THAT(changed.out, HasSubstr("created 0, updated 2, unchanged 0"));

  std::string foreign = made.out;
  const std::string label = "gpu.scheduling/generated-by";
  foreign.replace(foreign.find(label), label.size(), "made-by");
  const FolderWith other("aws-default", foreign);
  const Ended refused = RunWith({"--offline", other.path()});
  EXPECT_EQ(refused.code, kExitFailed);
  EXPECT_THAT(refused.out, HasSubstr("there is one that gpu-machinesets did not make"));
}

TEST(MachineSetProgram, RefusesWithTheReason) {
  const Ended refused = RunWith({"--offline", kOffline + "refused-vsphere"});
  EXPECT_EQ(refused.code, kExitFailed);
  EXPECT_THAT(refused.err, HasSubstr("this cluster runs on VSphere"));
  EXPECT_EQ(RunWith({"--settings", "/nowhere", "--offline", "x"}).code, kExitBadInput);
  EXPECT_EQ(RunWith({"--nonsense"}).code, kExitBadInput);
}

TEST(MachineSetProgram, ListsTheCatalogue) {
  const Ended types = RunWith({"types"});
  EXPECT_EQ(types.code, kExitDone);
  EXPECT_THAT(types.out, HasSubstr("Standard_ND96isr_H100_v5"));
}

TEST(MachineSetStatus, ShowsOurSetsOnlyAndWhatTheCloudSays) {
  const auto ours = Object(R"({"metadata": {"name": "a", "labels": {"gpu.scheduling/generated-by":
      "gpu-machinesets"}}, "spec": {"replicas": 2}, "status": {"replicas": 1}})");
  const auto theirs = Object(R"({"metadata": {"name": "b"}, "spec": {"replicas": 9}})");
  const auto machine = Object(R"({"metadata": {"name": "a-1", "labels": {
      "machine.openshift.io/cluster-api-machineset": "a"}}, "status": {"phase": "Provisioning",
      "providerStatus": {"conditions": [{"type": "MachineCreation", "status": "False",
      "message": "VcpuLimitExceeded: 64"}]}}})");
  const std::string text = PrintStatus({ours, theirs}, {machine});
  EXPECT_THAT(text, HasSubstr("a-1: quota\n  the cloud says: VcpuLimitExceeded: 64\n"));
  EXPECT_THAT(text, HasSubstr("a           2       1         0      0\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nb ")));
  EXPECT_THAT(PrintStatus({theirs}, {}), HasSubstr("There are no MachineSets"));
}

TEST(MachineSetVerify, NamesTheNodesThatAreNotReady) {
  VerifiedObjects objects;
  for (const CheckedPoint& point : VerifyObjects(objects))
    EXPECT_FALSE(point.is_fine) << point.what;
  objects.sets = {Object(R"({"metadata": {"labels": {"gpu.scheduling/generated-by":
      "gpu-machinesets"}}, "spec": {"replicas": 1}, "status": {"availableReplicas": 1}})")};
  objects.nodes = {Object(R"({"metadata": {"name": "n", "labels": {"nvidia.com/gpu.present": "true",
      "node-role.kubernetes.io/gpu": ""}}, "status": {"allocatable": {"nvidia.com/gpu": "4"},
      "conditions": [{"type": "Ready", "status": "True"}]}})"),
                   Object(R"({"metadata": {"name": "plain"}})")};
  objects.policies = {Object(R"({"metadata": {"name": "p"}, "status": {"state": "ready"}})")};
  objects.discoveries = {Object(R"({"metadata": {"name": "d"}, "status": {"conditions": [
      {"type": "Available", "status": "True"}]}})")};
  for (const CheckedPoint& point : VerifyObjects(objects)) EXPECT_TRUE(point.is_fine) << point.what;
  objects.nodes.push_back(
      Object(R"({"metadata": {"name": "late", "labels": {"nvidia.com/gpu.present": "true"}}})"));
  EXPECT_EQ(VerifyObjects(objects)[1].found, "1 of 2; not late");
}

TEST(MachineSetVerify, NoNodesAreFineWhereNoneIsWanted) {
  VerifiedObjects objects;
  objects.sets = {Object(R"({"metadata": {"labels": {"gpu.scheduling/generated-by":
      "gpu-machinesets"}}, "spec": {"replicas": 0}})")};
  const auto points = VerifyObjects(objects);
  EXPECT_EQ(points[1].found, "0 of 0, and none is wanted");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(points[i].is_fine) << points[i].what;
}

}  // namespace
}  // namespace gs::machinesets
