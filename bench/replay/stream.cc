#include "bench/replay/stream.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/machines.h"

namespace gs::replay {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

// The distributions of the standard library differ from one to the other; its engines do not.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}

  std::size_t Below(std::size_t limit) { return engine_() % limit; }
  double Unit() { return (static_cast<double>(engine_()) + 0.5) / 4294967296.0; }
  // With that mean, as times between unrelated events are.
  double Exponential(double mean) { return -mean * std::log(Unit()); }

 private:
  std::mt19937 engine_;
};

void AddNodes(Stream& stream, const std::string& name, const model::Machine& machine, int count) {
  for (int i = 0; i < count; ++i) stream.nodes.push_back({name + "-" + std::to_string(i), machine});
}

model::Claim ClaimOf(std::int32_t count, std::optional<model::TopologyMode> mode) {
  model::Claim claim;
  claim.ns = Namespace("replay");
  claim.name = ClaimName("of-" + std::to_string(count) + "-" +
                         (mode ? std::string(ToString(*mode)) : std::string("plain")));
  claim.devices.count = count;
  if (mode) claim.topology = model::TopologyRequest{.mode = *mode, .min_bandwidth_gbps = 0};
  return claim;
}

// Many pods are small, but most GPUs go to the larger ones.
std::vector<model::Claim> Claims() {
  using Mode = model::TopologyMode;
  std::vector<model::Claim> claims(4, ClaimOf(1, std::nullopt));
  for (const std::int32_t count : {2, 2, 4, 8}) {
    claims.push_back(ClaimOf(count, std::nullopt));
    claims.push_back(ClaimOf(count, Mode::kPreferred));
    claims.push_back(ClaimOf(count, Mode::kRequired));
  }
  claims.push_back(ClaimOf(3, std::nullopt));
  return claims;
}

}  // namespace

std::int64_t Stream::gpus() const {
  std::int64_t gpus = 0;
  for (const ReplayNode& node : nodes)
    gpus += static_cast<std::int64_t>(node.machine.devices.size());
  return gpus;
}

Stream Generate(const StreamOptions& options) {
  Stream stream;
  AddNodes(stream, "a100", testing::HgxA100().machine(), 12);
  AddNodes(stream, "dgx1", testing::Dgx1Volta().machine(), 12);
  AddNodes(stream, "dgx2", testing::Dgx2().machine(), 3);
  AddNodes(stream, "pair", testing::TwoSockets().machine(), 8);
  AddNodes(stream, "pcie", testing::FourPcie().machine(), 16);
  stream.claims = Claims();

  Dice dice(options.seed);
  const double wanted = options.demand * static_cast<double>(stream.gpus());
  double asked = 0;
  while (asked < wanted) {
    const std::size_t claim = dice.Below(stream.claims.size());
    asked += stream.claims[claim].devices.count;
    stream.arrivals.push_back({.at = {}, .lasts = {}, .claim = claim});
  }
  const double count = static_cast<double>(stream.arrivals.size());
  const auto day = static_cast<double>(kDay.count());
  double at = 0;
  for (Arrival& arrival : stream.arrivals) {
    at += dice.Exponential(day / count);
    arrival.at = TimePoint(Duration(std::llround(at)));
    const double stay = dice.Exponential(day * options.load / options.demand);
    arrival.lasts = options.ends ? Duration(std::llround(stay)) : 1000 * kDay;
  }
  return stream;
}

}  // namespace gs::replay
