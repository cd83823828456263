// Prints how many GPUs each way of choosing a node gets placed, over generated streams:
// placement_replay [STREAMS].
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/replay/replay.h"
#include "bench/result_row.h"

namespace gs::replay {
namespace {

constexpr Policy kPolicies[] = {Policy::kOurs, Policy::kBestFit, Policy::kFirstFit,
                                Policy::kRandom};

struct Sum {
  std::vector<double> shares;  // of all GPUs
  double linked = 0;
  double waited = 0;
};

Sum RunAll(const StreamOptions& how, Policy policy, Misfit misfit, std::uint32_t streams) {
  Sum sum;
  for (std::uint32_t seed = 1; seed <= streams; ++seed) {
    StreamOptions options = how;
    options.seed = seed;
    const Stream stream = Generate(options);
    const Tally tally = Replay(stream, policy, misfit, seed);
    const double placed = static_cast<double>(tally.gpus) / static_cast<double>(stream.gpus());
    sum.shares.push_back(100 * (how.ends ? tally.used : placed));
    sum.linked += 100.0 * static_cast<double>(tally.linked) / static_cast<double>(tally.several);
    sum.waited += tally.waited;
  }
  return sum;
}

void Print(const char* title, const char* share, const StreamOptions& how, Misfit misfit,
           std::uint32_t streams) {
  std::printf("\n%s (%u streams)\n", title, streams);
  std::printf("  %-14s %10s %8s %8s   %12s %10s\n", "", share, "least", "most", "in one island",
              "waits h");
  boost::json::object means;
  double best_of_others = 0;
  for (const Policy policy : kPolicies) {
    const Sum sum = RunAll(how, policy, misfit, streams);
    double mean = 0;
    for (const double each : sum.shares) mean += each / streams;
    means[ToString(policy)] = mean;
    if (policy != Policy::kOurs) best_of_others = std::max(best_of_others, mean);
    const auto [least, most] = std::minmax_element(sum.shares.begin(), sum.shares.end());
    std::printf("  %-14s %9.2f%% %7.2f%% %7.2f%%   %12.1f%% %10.2f\n",
                std::string(ToString(policy)).c_str(), mean, *least, *most, sum.linked / streams,
                sum.waited / streams);
    std::fflush(stdout);
  }
  const double ratio = means[ToString(Policy::kOurs)].as_double() / best_of_others;
  bench::AddResult("placement", std::string(share) + ", against the best of the others", "%",
                   std::move(means), {{"ratio", ratio}, {"aim", ">= 1"}});
}

int Main(int argc, char** argv) {
  const long streams = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10;
  if (streams < 1 || streams > 1000) {
    std::fprintf(stderr, "placement_replay: the number of streams is 1 to 1000, not %s\n", argv[1]);
    return 2;
  }
  const auto count = static_cast<std::uint32_t>(streams);
  std::printf("GPUs are chosen alike inside a node; only the choice of the node differs.\n");
  Print("Pods ask for as many GPUs as there are, nobody leaves, who does not fit is dropped",
        "GPUs placed", {.demand = 1.0}, Misfit::kDropped, count);
  Print("Pods come and go, who does not fit waits; they would fill the cluster to 95 %", "GPU time",
        {.demand = 8, .load = 0.95, .ends = true}, Misfit::kWaits, count);
  return 0;
}

}  // namespace
}  // namespace gs::replay

int main(int argc, char** argv) { return gs::replay::Main(argc, argv); }
