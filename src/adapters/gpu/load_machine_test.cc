#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/gpu/machine_file.h"

namespace gs::gpu {
namespace {

using model::Link;
using model::LinkKind;
using model::PcieClass;

const std::filesystem::path kExamples =
    std::filesystem::path(GS_SOURCE_DIR) / "examples" / "machines";

model::Machine Example(const std::string& name) {
  auto machine = LoadMachineFile(kExamples / name);
  EXPECT_TRUE(machine.ok()) << machine.error();
  return machine ? *std::move(machine) : model::Machine{};
}

// A directory of its own that is gone afterwards.
class LoadMachineFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "gs-machine-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(LoadMachineFileTest, ReadsAFile) {
  const auto machine = LoadMachineFile(Write("m.yaml", "[{id: 0}, {id: 1}]"));
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(machine->devices.size(), 2U);
}

TEST_F(LoadMachineFileTest, NamesTheFileInWhatIsWrongWithItsText) {
  const auto path = Write("m.yaml", "devices: [{}]");
  EXPECT_EQ(ToString(LoadMachineFile(path).error()), path.string() + ": devices[0].id: is missing");
}

TEST_F(LoadMachineFileTest, NamesAFileThatCannotBeReadOnce) {
  const auto large = Write("large.yaml", std::string(kMaxFileBytes + 1, '#'));
  EXPECT_EQ(ToString(LoadMachineFile(large).error()),
            large.string() + ": is larger than the 1048576 bytes that are read");
  const auto missing = LoadMachineFile(folder_ / "none.yaml");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
}

TEST(ExampleMachines, HaveEightGpusEach) {
  for (const auto* name :
       {"dgx-1v.yaml", "pcie-2socket.yaml", "hgx-a100.yaml", "mi210-hives.yaml"}) {
    EXPECT_EQ(Example(name).devices.size(), 8U) << name;
  }
}

TEST(ExampleMachines, Dgx1HasSixLinksPerGpu) {
  const auto machine = Example("dgx-1v.yaml");
  for (std::size_t gpu = 0; gpu < machine.devices.size(); ++gpu) {
    int links = 0;
    for (std::size_t peer = 0; peer < machine.devices.size(); ++peer) {
      if (peer != gpu) links += machine.links.At(gpu, peer).count;
    }
    EXPECT_EQ(links, 6) << "GPU " << gpu;
  }
  EXPECT_EQ(machine.links.At(0, 3), (Link{LinkKind::kNvLink, 2, PcieClass::kPhb, 100}));
  EXPECT_EQ(machine.links.At(6, 7), (Link{LinkKind::kNvLink, 2, PcieClass::kPix, 100}));
  EXPECT_EQ(machine.links.At(0, 5), (Link{LinkKind::kNone, 0, PcieClass::kSys, 0}));
}

TEST(ExampleMachines, HgxLinksEveryPairAlike) {
  const auto machine = Example("hgx-a100.yaml");
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_EQ(machine.links.At(a, b).kind, LinkKind::kNvSwitch) << a << "," << b;
      EXPECT_EQ(machine.links.At(a, b).count, 12) << a << "," << b;
      EXPECT_EQ(machine.links.At(a, b).bandwidth_gbps, 600) << a << "," << b;
    }
  }
}

}  // namespace
}  // namespace gs::gpu
