// Properties of the chooser on generated machines. The brute force in tests/support says what is
// best; RC_PARAMS sets the number of cases and the seed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/decide/devices/bounded_search.h"
#include "core/decide/devices/choose.h"
#include "core/decide/devices/class_search.h"
#include "core/decide/devices/mask_search.h"
#include "tests/support/brute_force.h"

namespace gs::devices {
namespace {

using model::DevicePolicy;
using model::Exclusivity;
using model::Link;
using model::LinkKind;
using model::Machine;
using model::PcieClass;
using model::TopologyMode;

// Eight properties of this many cases each: above 100,000 together. Set RC_PARAMS to override.
[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "max_success=20000", 0);

struct Case {
  Machine machine;
  Availability availability;
  Request request;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  out << c.machine.devices.size() << " GPUs, unused " << c.availability.unused.bits()
      << ", unhealthy " << c.availability.unhealthy.bits() << ", count " << c.request.count
      << ", policy " << ToString(c.request.policy) << ", mode " << ToString(c.request.mode) << " "
      << c.request.min_bandwidth_gbps << ", " << ToString(c.request.exclusivity) << ", prefer";
  for (const GpuId id : c.request.prefer_ids) out << " " << id;
  out << ", must";
  for (const GpuId id : c.request.must_include) out << " " << id;
  for (std::size_t a = 0; a < c.machine.devices.size(); ++a) {
    out << "\nGPU " << c.machine.devices[a].id << " sharers " << c.availability.sharers[a] << ":";
    for (std::size_t b = 0; b < a; ++b) out << " [" << c.machine.links.At(a, b) << "]";
  }
  return out;
}

int Below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }

Link AnyLink() {
  const int links = Below(4);
  const auto pcie = static_cast<PcieClass>(Below(6));
  if (links == 0) return {LinkKind::kNone, 0, pcie, 0};
  return {LinkKind::kNvLink, links, pcie, 50 * links};
}

Machine AnyMachine(int max_gpus) {
  Machine machine;
  const std::size_t gpus = std::size_t{1} + static_cast<std::size_t>(Below(max_gpus));
  int id = -1;
  for (std::size_t i = 0; i < gpus; ++i) {
    id += 1 + (Below(5) == 0 ? 1 : 0);  // now and then an id is missing
    machine.devices.push_back({.id = GpuId(id), .numa_node = Below(3)});
  }
  machine.links = model::LinkMatrix(gpus);
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = 0; b < a; ++b) machine.links.Set(a, b, AnyLink());
  }
  return machine;
}

Availability AnyAvailability(std::size_t gpus) {
  Availability availability;
  for (std::size_t i = 0; i < gpus; ++i) {
    const int state = Below(8);
    if (state < 5) availability.unused.Add(i);
    if (state == 5) availability.sharers[i] = 1 + Below(4);
    if (Below(10) == 0) availability.unhealthy.Add(i);
  }
  return availability;
}

std::vector<GpuId> AnyIds(const Machine& machine, int limit) {
  std::vector<GpuId> ids;
  for (int i = Below(limit); i > 0; --i) {
    const GpuId id =
        machine.devices[static_cast<std::size_t>(Below(static_cast<int>(machine.devices.size())))]
            .id;
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

Request AnyRequest(const Machine& machine) {
  Request request;
  request.count = 1 + Below(static_cast<int>(machine.devices.size()));
  request.policy = static_cast<DevicePolicy>(Below(3));
  request.mode = static_cast<TopologyMode>(Below(3));
  request.min_bandwidth_gbps = 50 * Below(4);
  request.exclusivity = static_cast<Exclusivity>(Below(4) == 0);
  if (request.policy == DevicePolicy::kPreferIds) request.prefer_ids = AnyIds(machine, 4);
  if (Below(5) == 0) request.must_include = AnyIds(machine, 3);
  return request;
}

Case AnyCase(int max_gpus = 8) {
  Case c;
  c.machine = AnyMachine(max_gpus);
  c.availability = AnyAvailability(c.machine.devices.size());
  c.request = AnyRequest(c.machine);
  return c;
}

Topology TopologyOf(const Machine& machine) { return Topology::Of(machine).value(); }

RC_GTEST_PROP(ChooseProperty, IsOptimalAgainstBruteForce, ()) {
  const Case c = AnyCase();
  RC_LOG() << c;
  const Topology topology = TopologyOf(c.machine);
  const auto expected = testing::BruteForceChoice(topology, c.availability, c.request);
  const Outcome outcome = Choose(topology, c.availability, c.request);
  const auto* choice = std::get_if<Choice>(&outcome);
  RC_ASSERT((choice != nullptr) == expected.has_value());
  if (choice != nullptr) RC_ASSERT(choice->set.bits() == expected->bits());
}

RC_GTEST_PROP(ChooseProperty, GivesTheAskedCountOfGpusThatMayBeGiven, ()) {
  const Case c = AnyCase(16);
  RC_LOG() << c;
  const Topology topology = TopologyOf(c.machine);
  const Outcome outcome = Choose(topology, c.availability, c.request);
  const auto* choice = std::get_if<Choice>(&outcome);
  if (choice == nullptr) return;
  RC_ASSERT(choice->set.size() == static_cast<std::size_t>(c.request.count));
  RC_ASSERT(choice->set.Contains(topology.PositionsOf(c.request.must_include)));
  for (const std::size_t gpu : choice->set) {
    const std::int32_t sharers = c.availability.sharers[gpu];
    const bool may_join = c.request.exclusivity == Exclusivity::kShared && sharers > 0 &&
                          sharers < c.request.share_cap;
    RC_ASSERT(c.availability.unused.Has(gpu) || may_join);
    RC_ASSERT(!c.availability.unhealthy.Has(gpu));
  }
}

RC_GTEST_PROP(ChooseProperty, RequiredHoldsAndIsNeverRefusedWhenPossible, ()) {
  Case c = AnyCase();
  c.request.mode = TopologyMode::kRequired;
  RC_LOG() << c;
  const Topology topology = TopologyOf(c.machine);
  const Outcome outcome = Choose(topology, c.availability, c.request);
  if (const auto* choice = std::get_if<Choice>(&outcome)) {
    RC_ASSERT(testing::SatisfiesTopology(topology, c.request, choice->set));
  } else {
    RC_ASSERT(!testing::BruteForceChoice(topology, c.availability, c.request).has_value());
  }
}

RC_GTEST_PROP(ChooseProperty, SameQuestionHasTheSameAnswer, ()) {
  const Case c = AnyCase(12);
  RC_LOG() << c;
  const Outcome first = Choose(TopologyOf(c.machine), c.availability, c.request);
  const Outcome second = Choose(TopologyOf(c.machine), c.availability, c.request);
  RC_ASSERT((first == second));
}

RC_GTEST_PROP(ChooseProperty, TablesDoNotChangeTheAnswer, ()) {
  const Case c = AnyCase();
  RC_LOG() << c;
  const Topology topology = TopologyOf(c.machine);
  const TableKey key = TableKey::Of(c.request);
  TableCache tables;
  if (auto table = BuildTable(topology, key)) tables.Add(topology, key, *std::move(table));
  RC_ASSERT((Choose(topology, c.availability, c.request, &tables) ==
             Choose(topology, c.availability, c.request)));
}

// The same machine with its GPUs numbered in another order. Link scores decide before ids do, so
// what is reached stays.
RC_GTEST_PROP(ChooseProperty, RelabellingDoesNotChangeTheScoreReached, ()) {
  Case c = AnyCase();
  c.request.policy = DevicePolicy::kContiguous;
  if (c.request.mode == TopologyMode::kIgnore) c.request.mode = TopologyMode::kPreferred;
  c.request.prefer_ids.clear();
  c.request.must_include.clear();
  RC_LOG() << c;
  const std::size_t gpus = c.machine.devices.size();
  std::vector<std::size_t> order(gpus);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = gpus; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(Below(static_cast<int>(i)))]);
  }
  Case relabelled = c;
  relabelled.availability = {};
  for (std::size_t a = 0; a < gpus; ++a) {
    relabelled.machine.devices[order[a]].numa_node = c.machine.devices[a].numa_node;
    relabelled.availability.sharers[order[a]] = c.availability.sharers[a];
    if (c.availability.unused.Has(a)) relabelled.availability.unused.Add(order[a]);
    if (c.availability.unhealthy.Has(a)) relabelled.availability.unhealthy.Add(order[a]);
    for (std::size_t b = 0; b < a; ++b) {
      relabelled.machine.links.Set(order[a], order[b], c.machine.links.At(a, b));
    }
  }
  const Outcome before = Choose(TopologyOf(c.machine), c.availability, c.request);
  const Outcome after = Choose(TopologyOf(relabelled.machine), relabelled.availability, c.request);
  RC_ASSERT(before.index() == after.index());
  if (const auto* choice = std::get_if<Choice>(&before)) {
    const auto& other = std::get<Choice>(after);
    RC_ASSERT(choice->islands == other.islands);
    RC_ASSERT(choice->partition_score == other.partition_score);
    RC_ASSERT(choice->set_score == other.set_score);
  }
}

// A machine built of islands that are wired alike inside, with one class of links between them.
Machine AnyIslands() {
  Machine machine;
  const int islands = 1 + Below(4);
  const int size = 1 + Below(4);
  const Link inside{LinkKind::kXgmi, 1 + Below(2), PcieClass::kNode, 100};
  const auto between = static_cast<PcieClass>(Below(3));
  const bool has_odd_one = Below(3) == 0;  // one island is wired better than the others
  const std::size_t gpus = static_cast<std::size_t>(islands) * static_cast<std::size_t>(size);
  machine.links = model::LinkMatrix(gpus);
  for (std::size_t a = 0; a < gpus; ++a) {
    const int island = static_cast<int>(a) / size;
    machine.devices.push_back({.id = GpuId(static_cast<std::int32_t>(a)), .numa_node = island / 2});
    for (std::size_t b = 0; b < a; ++b) {
      const bool same = static_cast<int>(b) / size == island;
      Link link = same ? inside : Link{LinkKind::kNone, 0, between, 20};
      if (same && island == 0 && has_odd_one) link.count += 1;
      machine.links.Set(a, b, link);
    }
  }
  return machine;
}

RC_GTEST_PROP(ChooseProperty, SearchByClassesAgreesWithSearchByMasks, ()) {
  Case c = {
      .machine = Below(3) == 0 ? AnyMachine(7) : AnyIslands(), .availability = {}, .request = {}};
  const Topology topology = TopologyOf(c.machine);
  c.availability = AnyAvailability(topology.size());
  c.request = AnyRequest(c.machine);
  c.request.must_include.clear();
  RC_LOG() << c;
  const Objective objective(topology, c.availability, AimOf(c.request));
  const Restriction restriction = Restriction::Of(topology, c.request);
  GpuSet candidates = c.availability.unused;
  for (const std::size_t gpu : topology.all()) {
    if (c.availability.sharers[gpu] > 0) candidates.Add(gpu);
  }
  const auto count = static_cast<std::size_t>(c.request.count);
  if (candidates.size() < count) return;
  const GpuSet must = Below(2) == 0 ? GpuSet::Of(candidates.First()) : GpuSet();
  const Problem problem{.topology = topology,
                        .objective = objective,
                        .restriction = restriction,
                        .candidates = candidates,
                        .unused = c.availability.unused,
                        .must = must,
                        .count = count};
  const MaskPartition partition(topology, candidates, c.request.count);
  const auto by_masks = SearchMasks(problem, partition);
  const auto by_classes = SearchClasses(problem, Budget(4'000'000));
  RC_ASSERT(by_classes.has_value());
  RC_ASSERT(by_classes->set.bits() == (by_masks ? by_masks->set.bits() : 0));
  if (by_masks) RC_ASSERT(by_classes->rest_score == by_masks->rest_score);
}

RC_GTEST_PROP(ChooseProperty, BoundedSearchKeepsEveryRestrictionAndTouchesAsFewIslands, ()) {
  Case c = AnyCase(12);
  c.request.exclusivity = Exclusivity::kExclusive;
  c.request.policy = DevicePolicy::kContiguous;
  RC_LOG() << c;
  const Topology topology = TopologyOf(c.machine);
  const Objective objective(topology, c.availability, AimOf(c.request));
  const Restriction restriction = Restriction::Of(topology, c.request);
  const GpuSet unused = c.availability.unused;
  const auto count = static_cast<std::size_t>(c.request.count);
  if (unused.size() < count) return;
  const Problem problem{.topology = topology,
                        .objective = objective,
                        .restriction = restriction,
                        .candidates = unused,
                        .unused = unused,
                        .must = GpuSet(),
                        .count = count};
  const Found bounded = SearchBounded(problem);
  const auto exact = SearchMasks(problem, MaskPartition(topology, unused, c.request.count));
  RC_ASSERT(bounded.set.empty() == !exact.has_value());
  if (!exact) return;
  RC_ASSERT(bounded.set.size() == count);
  RC_ASSERT(restriction.Allows(bounded.set));
  if (c.request.mode != TopologyMode::kIgnore) {
    RC_ASSERT(topology.IslandsTouched(bounded.set) == topology.IslandsTouched(exact->set));
  }
}

}  // namespace
}  // namespace gs::devices
