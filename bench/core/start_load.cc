// start_load: what a start costs by itself, without sockets: start_load [NODES [PODS]].
//
// Pods as an API server lists them, bound and without GPUs as most pods of a cluster are, come in
// through the watcher of pods and go to a cycle. Printed is what reading and the core cost, and how
// much memory is kept per pod in all of it.
#include <malloc.h>
#include <sys/resource.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "adapters/kube/watch/kind_teller.h"
#include "bench/core/made_up_cluster.h"
#include "bench/result_row.h"

namespace gs::bench {
namespace {

constexpr int kPodsAtOnce = 500;
constexpr int kPodsPerController = 10;

double SecondsUsed() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double BytesInUse() {
  const auto used = mallinfo2();
  return static_cast<double>(used.uordblks) + static_cast<double>(used.hblkhd);
}

double PeakMegabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1e3;
}

void Note(const char* name, const char* unit, double value, int pods) {
  AddResult("core", name, unit, {{"gpu-scheduler", value}}, {{"pods", pods}});
}

class Texts {
 public:
  std::string Uid() {
    std::array<char, 37> text{};
    const std::uint64_t high = dice_();
    const std::uint64_t low = dice_();
    std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%012llx",
                  static_cast<unsigned>(high >> 32U), static_cast<unsigned>(high >> 16U & 0xffffU),
                  static_cast<unsigned>(high & 0xfffU),
                  static_cast<unsigned>(0x8000U | (low >> 48U & 0x3fffU)),
                  static_cast<unsigned long long>(low & 0xffffffffffffULL));
    return text.data();
  }

  // Pods of Deployments, as their names show.
  std::string Pod(int number, int nodes) {
    constexpr int kLeast = 100'000;  // so that all have as many digits, and come in order
    if (number % kPodsPerController == 0) owner_ = Uid();
    const std::string app = "service-" + std::to_string(kLeast + number / kPodsPerController);
    const std::string set = app + "-7d9c6b8f54";
    const std::string name = set + "-x4" + std::to_string(100 + number % kPodsPerController);
    return R"({"metadata":{"name":")" + name + R"(","namespace":"team-)" +
           std::to_string(100 + number / 1'000) + R"(","uid":")" + Uid() +
           R"(","resourceVersion":")" + std::to_string(1'000'000 + number) +
           R"(","creationTimestamp":"2026-03-01T12:00:00Z","labels":{"app":")" + app +
           R"(","pod-template-hash":"7d9c6b8f54"},"ownerReferences":[{"apiVersion":"apps/v1",)"
           R"("controller":true,"kind":"ReplicaSet","name":")" +
           set + R"(","uid":")" + owner_ +
           R"("}]},"spec":{"schedulerName":"default-scheduler","nodeName":"node-)" +
           std::to_string(number % nodes) +
           R"(","containers":[{"name":"main","image":"registry.example.com/service","resources":)"
           R"({"requests":{"cpu":"100m","memory":"128Mi"}}}],"tolerations":[{"effect":"NoExecute",)"
           R"("key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300}]},)"
           R"("status":{"phase":"Running","conditions":[{"type":"PodScheduled","status":"True",)"
           R"("lastTransitionTime":"2026-03-01T12:00:01Z"}]}})";
  }

 private:
  std::mt19937_64 dice_{7};  // NOLINT: the same pods every time
  std::string owner_;
};

int Run(int nodes, int pods) {
  MadeUpCluster cluster({.nodes = nodes, .gpus_in_use = 0, .pods_per_node = 0});
  kube::KindTeller teller(kube::Pods());
  Texts texts;
  if (!teller.BeginList(ResourceVersion("9000000"))) return 1;
  const double before = BytesInUse();
  double reading = 0;
  double in_core = 0;
  for (int first = 0; first < pods; first += kPodsAtOnce) {
    std::vector<std::string> items;
    items.reserve(kPodsAtOnce);
    for (int i = 0; i < kPodsAtOnce; ++i) items.push_back(texts.Pod(first + i, nodes));
    const double start = SecondsUsed();
    kube::Telling telling;
    for (const std::string& item : items) {
      if (!teller.TellItem(item, telling)) return 1;
    }
    const double read = SecondsUsed();
    if (telling.events.size() != kPodsAtOnce) return 1;
    (void)cluster.cycle().RunOnce(telling.events, kNow);
    reading += read - start;
    in_core += SecondsUsed() - read;
  }
  const double kept = (BytesInUse() - before) / pods;
  const double read_us = reading * 1e6 / pods;
  const double core_us = in_core * 1e6 / pods;
  std::printf(
      "%d nodes, %d pods: %.0f bytes kept per pod, %.2f us to read one, %.2f us in the core\n",
      nodes, pods, kept, read_us, core_us);
  std::printf("%.1f MB at most\n", PeakMegabytes());
  Note("kept of an ordinary pod by watcher and core", "bytes", kept, pods);
  Note("an ordinary pod is read", "us", read_us, pods);
  Note("an ordinary pod is taken in by the core", "us", core_us, pods);
  return 0;
}

}  // namespace
}  // namespace gs::bench

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 5'000;
  return gs::bench::Run(nodes, argc > 2 ? std::atoi(argv[2]) : 50'000);
}
