// The cases AMD publishes for its device plugin on eight MI210 in two xGMI hives: a set of the same
// weight.
#include <gtest/gtest.h>

#include <map>

#include "core/decide/devices/choose.h"
#include "tests/published/reference_data.h"
#include "tests/support/machines.h"

namespace gs::published {
namespace {

using boost::json::value;
using devices::GpuSet;
using model::LinkKind;
using model::PcieClass;

constexpr std::string_view kFile = "topology/amd_xgmi.json";
constexpr std::string_view kMachine = "mi210-8x-xgmi-pcie";
constexpr std::int64_t kXgmi = 11;  // link type of the kernel driver

struct Hives {
  explicit Hives(const value& machine) {
    const auto& list = machine.at("devices").as_array();
    testing::MachineBuilder builder(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      by_name[std::string(list[i].at("id").as_string())] = i;
      by_node[list[i].at("node").as_int64()] = i;
      builder.Numa(i, i, static_cast<std::int32_t>(list[i].at("numa").as_int64()));
    }
    for (const value& pair : machine.at("pairs").as_array()) {
      const std::size_t a = by_node.at(pair.at(0).as_int64());
      const std::size_t b = by_node.at(pair.at(1).as_int64());
      weight[{a, b}] = pair.at(3).as_int64();
      const bool is_linked = pair.at(2).as_int64() == kXgmi;
      builder.Pair(
          a, b,
          {is_linked ? LinkKind::kXgmi : LinkKind::kNone, is_linked ? 1 : 0, PcieClass::kSys, 0});
    }
    topology = builder.topology();
  }

  [[nodiscard]] GpuSet Named(const value& names) const {
    GpuSet set;
    for (const value& name : names.as_array()) set.Add(by_name.at(std::string(name.as_string())));
    return set;
  }

  [[nodiscard]] std::int64_t WeightOf(GpuSet set) const {
    std::int64_t sum = 0;
    for (const auto& [pair, pair_weight] : weight) {
      if (set.Has(pair.first) && set.Has(pair.second)) sum += pair_weight;
    }
    return sum;
  }

  devices::Topology topology = devices::Topology::Counted(0);
  std::map<std::string, std::size_t> by_name;
  std::map<std::int64_t, std::size_t> by_node;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> weight;
};

TEST(PublishedAmd, Mi210SetsHaveThePublishedWeight) {
  const auto data = LoadJson(std::string(kFile));
  if (!data) GTEST_SKIP() << "reference data not found: " << DataFolder() / kFile;
  const Hives hives(data->at("topologies").at(kMachine));
  int cases = 0;
  for (const value& row : data->at("cases").at(kMachine).as_array()) {
    const auto* available = row.as_object().if_contains("available");
    const GpuSet unused = available == nullptr ? hives.topology.all() : hives.Named(*available);
    const devices::Availability availability{.unused = unused, .sharers = {}, .unhealthy = {}};
    const auto outcome =
        devices::Choose(hives.topology, availability,
                        {.count = static_cast<std::int32_t>(row.at("size").as_int64())});
    const auto* choice = std::get_if<devices::Choice>(&outcome);
    ASSERT_NE(choice, nullptr);
    EXPECT_EQ(hives.WeightOf(choice->set), row.at("expected_weight").as_int64()) << *choice;
    ++cases;
  }
  EXPECT_GE(cases, 4);
}

}  // namespace
}  // namespace gs::published
