#include "null_binder.h"

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/election/election_owner.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/mailbox.h"
#include "core/commit/in_flight_list.h"
#include "load.h"
#include "objects.h"

namespace gs::bench {
namespace {

const kube::CommandContext kContext{.lock_namespace = Namespace(kNamespace)};
const SchedulerName kScheduler("null-binder");

struct Chosen {
  model::BindPod binding;
  std::vector<model::CreateLease> locks;
  int locks_left = 0;
  std::uint64_t revision = 0;  // of the list that names it first
};

struct Locked {
  std::size_t pod;
};
struct Bound {
  std::size_t pod;
};
using News = std::variant<model::Event, Locked, Bound>;

std::vector<model::Pod> PodsOf(kube::ApiClient& client, std::string_view prefix) {
  http::Request request;
  request.target = kube::CollectionPath(kube::kPods, Namespace(kNamespace)) +
                   "?labelSelector=bench%3D" + std::string(prefix);
  const auto outcome =
      client.Send(std::move(request), {.timeout = std::chrono::minutes(1), .stop = {}});
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr || response->status != 200) Stop("the pods could not be read");
  const auto page = kube::ParseListPage(response->body);
  if (!page) Stop(ToString(page.error()));
  std::vector<model::Pod> pods;
  for (const auto json : page->items) {
    auto pod = kube::DecodePod(json);
    if (!pod) Stop(ToString(pod.error()));
    pods.push_back(*std::move(pod));
  }
  return pods;
}

model::CreateLease LockOf(const model::BindPod& binding, GpuId gpu) {
  model::GpuLease lease;
  lease.name = model::LeaseNameOf(binding.allocation.gpus.node, gpu);
  lease.node = binding.allocation.gpus.node;
  lease.gpu = gpu;
  lease.scheduler = kScheduler;
  lease.holders = {
      {.pod = binding.pod, .plan = binding.allocation.gpus.ids, .attempt = binding.attempt}};
  return {std::move(lease), binding.attempt};
}

Chosen ChoiceFor(const model::Pod& pod, int number, int gpus) {
  const Place place = PlaceOf(number, gpus);
  Chosen chosen;
  chosen.binding = {.pod = pod.ref,
                    .resource_version = pod.resource_version,
                    .attempt = AttemptId("null/" + std::to_string(number)),
                    .allocation = {}};
  model::Allocation& allocation = chosen.binding.allocation;
  allocation.pod = pod.ref.uid;
  allocation.gpus.node = gs::NodeName(NodeName(place.node));
  for (int gpu = 0; gpu < gpus; ++gpu) allocation.gpus.ids.push_back(GpuId(place.first_gpu + gpu));
  for (const GpuId gpu : allocation.gpus.ids) chosen.locks.push_back(LockOf(chosen.binding, gpu));
  chosen.locks_left = gpus;
  return chosen;
}

class NullBinder {
 public:
  NullBinder(runtime::IoThreads& threads, const runtime::Clock& clock, kube::ApiClient& client,
             std::vector<Chosen> pods)
      : client_(client),
        pods_(std::move(pods)),
        election_(OpenClient(threads, clock, 1), clock,
                  {.identity = {.pod = PodUid("null-binder"), .process = "bench"},
                   .pod = gs::PodName("null-binder"),
                   .scheduler = kScheduler,
                   .lock_namespace = Namespace(kNamespace)},
                  {}, [this](model::Event event) { (void)news_.Push(std::move(event)); }) {}

  // How many pods per second.
  double Run() {
    while (!is_leading_) TakeNews();
    const auto start = std::chrono::steady_clock::now();
    while (bound_ < pods_.size()) {
      Board();
      TakeNews();
    }
    const double rate = static_cast<double>(bound_) / SecondsSince(start);
    Board();  // nobody is on the list any more, or the next one would have to wait for the lease
    election_.Resign();
    return rate;
  }

 private:
  void Board() {
    bool has_changed = has_left_;
    while (next_ < pods_.size() && on_list_.size() < commit::InFlightList::kMaxPods) {
      Chosen& pod = pods_[next_];
      if (pod.locks.empty()) {
        Bind(next_++);
        continue;
      }
      pod.revision = revision_ + 1;
      on_list_.emplace(next_++, pod.binding.pod);
      has_changed = true;
    }
    if (!has_changed) return;
    model::ListInFlight list{.revision = ++revision_, .pods = {}};
    for (const auto& [number, pod] : on_list_) list.pods.push_back(pod);
    election_.SetInFlight(std::move(list));
    has_left_ = false;
  }

  void TakeNews() {
    for (News& news : news_.Drain()) std::visit([this](const auto& one) { On(one); }, news);
  }

  void On(const model::Event& event) {
    if (std::holds_alternative<model::LeadershipWon>(event)) is_leading_ = true;
    if (std::holds_alternative<model::LeadershipLost>(event)) Stop("the election was lost");
    const auto* listed = std::get_if<model::InFlightListed>(&event);
    if (listed == nullptr) return;
    for (const auto& [number, pod] : on_list_) {
      if (pods_[number].revision > listed_ && pods_[number].revision <= listed->revision) {
        Lock(number);
      }
    }
    listed_ = listed->revision;
  }

  void On(const Locked& locked) {
    if (--pods_[locked.pod].locks_left == 0) Bind(locked.pod);
  }

  void On(const Bound& bound) {
    ++bound_;
    has_left_ = on_list_.erase(bound.pod) > 0 || has_left_;
  }

  void Lock(std::size_t number) {
    for (const model::CreateLease& lock : pods_[number].locks) Write(lock, Locked{number});
  }

  void Bind(std::size_t number) { Write(pods_[number].binding, Bound{number}); }

  template <class Command>
  void Write(const Command& command, const News& then) {
    kube::WriteThen(client_, kube::RequestOf(command, kContext),
                    {.timeout = std::chrono::minutes(1), .stop = {}},
                    [this, then](const kube::WriteReply& reply) {
                      if (reply.answer.outcome != model::WriteOutcome::kDone) {
                        Stop("a write failed: " + reply.answer.reason);
                      }
                      (void)news_.Push(then);
                    });
  }

  kube::ApiClient& client_;
  std::vector<Chosen> pods_;
  runtime::Mailbox<News> news_;
  std::map<std::size_t, model::PodRef> on_list_;
  std::size_t next_ = 0;
  std::size_t bound_ = 0;
  std::uint64_t revision_ = 0;  // given out last
  std::uint64_t listed_ = 0;
  bool is_leading_ = false;
  bool has_left_ = false;         // somebody has left the list since it was given out
  kube::ElectionOwner election_;  // last: its thread uses what is above
};

}  // namespace

void BindAll(runtime::IoThreads& threads, const runtime::Clock& clock, kube::ApiClient& client,
             std::string_view prefix, int gpus) {
  std::vector<Chosen> chosen;
  for (const model::Pod& pod : PodsOf(client, prefix)) {
    chosen.push_back(ChoiceFor(pod, static_cast<int>(chosen.size()), gpus));
  }
  NullBinder binder(threads, clock, client, std::move(chosen));
  std::cout << "bound " << binder.Run() << " pods/s\n";
}

}  // namespace gs::bench
