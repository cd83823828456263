// The cases NVIDIA publishes for the best-effort policy of go-gpuallocator, with our chooser in
// mode Preferred.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "adapters/gpu/machine_file.h"
#include "base/gpu_ids.h"
#include "core/decide/devices/choose.h"
#include "tests/published/reference_data.h"
#include "tests/support/machines.h"

namespace gs::published {
namespace {

using boost::json::value;
using devices::GpuSet;
using devices::Topology;
using model::Link;
using model::LinkKind;
using model::PcieClass;

constexpr std::string_view kFile = "topology/nvidia_best_effort.json";

std::vector<GpuId> IdsOf(const value& list) {
  std::vector<GpuId> ids;
  for (const value& id : list.as_array())
    ids.emplace_back(static_cast<std::int32_t>(id.as_int64()));
  return ids;
}

// A pair appears once per direction and once per kind of link; the file's own scores say what a
// name is worth.
Topology TopologyOf(const value& data, std::string_view name) {
  const value& machine = data.at("topologies").at(name);
  testing::MachineBuilder builder(static_cast<std::size_t>(machine.at("gpus").as_int64()));
  for (const value& entry : machine.at("links").as_array()) {
    const auto a = static_cast<std::size_t>(entry.at(0).as_int64());
    const auto b = static_cast<std::size_t>(entry.at(1).as_int64());
    const std::int64_t score = data.at("link_score").at(entry.at(2).as_string()).as_int64();
    Link link = builder.machine().links.At(a, b);
    if (score >= 100) {
      link.kind = LinkKind::kNvLink;
      link.count = static_cast<std::int32_t>(score / 100);
    } else {
      link.pcie = static_cast<PcieClass>(score / 10 - 1);
    }
    builder.Pair(a, b, link);
  }
  return builder.topology();
}

// The file also has the resulting pair scores; where a pair has NVLinks and no PCIe entry, it
// counts the links alone.
std::int64_t PublishedScore(const value& data, std::string_view name, GpuSet set) {
  const value& scores = data.at("topologies").at(name).at("pair_score");
  std::int64_t sum = 0;
  for (const std::size_t a : set) {
    for (const std::size_t b : set) {
      if (a < b) sum += scores.at(a).at(b).as_int64();
    }
  }
  return sum;
}

std::optional<GpuSet> Chosen(const Topology& topology, GpuSet unused, std::int32_t count,
                             const std::vector<GpuId>& required) {
  const devices::Availability availability{.unused = unused, .sharers = {}, .unhealthy = {}};
  const auto outcome =
      devices::Choose(topology, availability, {.count = count, .must_include = required});
  const auto* choice = std::get_if<devices::Choice>(&outcome);
  return choice == nullptr ? std::nullopt : std::optional(choice->set);
}

std::int64_t PartitionScore(const Topology& topology, GpuSet unused, GpuSet set) {
  const devices::Availability availability{.unused = unused, .sharers = {}, .unhealthy = {}};
  const auto outcome = devices::Choose(
      topology, availability,
      {.count = static_cast<std::int32_t>(set.size()), .must_include = topology.IdsOf(set)});
  return std::get<devices::Choice>(outcome).partition_score;
}

// What the free GPUs without this one are worth.
std::int64_t RestOf(const Topology& topology, GpuSet unused, GpuSet set) {
  return topology.ScoreOf(unused - set);
}

void ExpectBestSingle(const Topology& topology, GpuSet unused, GpuSet chosen) {
  for (const std::size_t gpu : unused) {
    EXPECT_LE(RestOf(topology, unused, GpuSet::Of(gpu)), RestOf(topology, unused, chosen));
  }
}

// How many cases of the best-effort policy `topology_of(name)` could be asked about.
template <class TopologyByName>
int ExpectPolicyCases(const value& data, TopologyByName topology_of) {
  int cases = 0;
  for (const value& row : data.at("policy_cases").as_array()) {
    if (row.at("policy").as_string() != "besteffort") continue;
    SCOPED_TRACE(std::string(row.at("case").as_string()));
    const std::optional<Topology> topology = topology_of(row.at("topology").as_string());
    if (!topology) continue;
    const auto chosen =
        Chosen(*topology, topology->PositionsOf(IdsOf(row.at("available"))),
               static_cast<std::int32_t>(row.at("size").as_int64()), IdsOf(row.at("required")));
    const auto expected = IdsOf(row.at("expected"));
    EXPECT_EQ(chosen.has_value(), !expected.empty());
    if (chosen) EXPECT_EQ(PrintGpuIds(topology->IdsOf(*chosen)), PrintGpuIds(expected));
    ++cases;
  }
  return cases;
}

TEST(PublishedNvidia, PolicyCasesAreChosenExactly) {
  const auto data = LoadJson(std::string(kFile));
  if (!data) GTEST_SKIP() << "reference data not found: " << DataFolder() / kFile;
  const int cases = ExpectPolicyCases(
      *data, [&](std::string_view name) { return std::optional(TopologyOf(*data, name)); });
  EXPECT_GE(cases, 6);
}

// What the agent reports of a DGX-1: tests of its sources hold it against the same file.
Topology ReportedDgx1() {
  const auto machine = gpu::LoadMachineFile(std::filesystem::path(GS_SOURCE_DIR) /
                                            "tests/fake_nvml/reported/dgx-1.yaml");
  EXPECT_TRUE(machine.ok()) << machine.error();
  return Topology::Of(machine.ok() ? *machine : model::Machine{}).value();
}

TEST(PublishedNvidia, PolicyCasesAreChosenExactlyFromWhatTheAgentReports) {
  const auto data = LoadJson(std::string(kFile));
  if (!data) GTEST_SKIP() << "reference data not found: " << DataFolder() / kFile;
  const int cases = ExpectPolicyCases(*data, [&](std::string_view name) {
    return name == "DGX1Volta" ? std::optional(ReportedDgx1()) : std::nullopt;
  });
  EXPECT_GE(cases, 6);
}

TEST(ReportedMachine, GivesTheSameSetsAsTheMachineOfTests) {
  const Topology reported = ReportedDgx1();
  const Topology built = testing::Dgx1Volta().topology();
  ASSERT_EQ(reported.size(), built.size());
  for (std::uint64_t mask = 1; mask < (1U << built.size()); ++mask) {
    GpuSet unused;
    for (std::size_t gpu = 0; gpu < built.size(); ++gpu) {
      if ((mask >> gpu & 1) != 0) unused.Add(gpu);
    }
    for (const std::int32_t count : {1, 2, 3, 4}) {
      EXPECT_EQ(Chosen(reported, unused, count, {}), Chosen(built, unused, count, {})) << mask;
    }
  }
}

TEST(PublishedNvidia, SequencesReachTheSameScores) {
  const auto data = LoadJson(std::string(kFile));
  if (!data) GTEST_SKIP() << "reference data not found: " << DataFolder() / kFile;
  int steps = 0;
  for (const value& row : data->at("sequential_cases").as_array()) {
    if (row.at("policy").as_string() != "besteffort") continue;
    SCOPED_TRACE(std::string(row.at("test").as_string()));
    const std::string_view name = row.at("topology").as_string();
    const Topology topology = TopologyOf(*data, name);
    GpuSet unused = topology.all();
    for (const value& step : row.at("steps").as_array()) {
      const auto size = static_cast<std::int32_t>(step.at("size").as_int64());
      const GpuSet expected = topology.PositionsOf(IdsOf(step.at("expected")));
      const auto chosen = Chosen(topology, unused, size, {});
      ASSERT_EQ(chosen.has_value(), !expected.empty());
      if (chosen && size == 1) ExpectBestSingle(topology, unused, *chosen);
      if (chosen && size > 1) {
        EXPECT_EQ(PartitionScore(topology, unused, *chosen),
                  PartitionScore(topology, unused, expected));
        EXPECT_EQ(PublishedScore(*data, name, *chosen), PublishedScore(*data, name, expected));
      }
      unused =
          unused - expected;  // the published set goes, so that the next step is the published one
      ++steps;
    }
  }
  EXPECT_GE(steps, 20);
}

}  // namespace
}  // namespace gs::published
