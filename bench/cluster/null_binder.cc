#include "null_binder.h"

#include <chrono>
#include <deque>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/fence/fence_owner.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/write/command_requests.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/mailbox.h"
#include "core/commit/in_flight_list.h"
#include "core/model/fence.h"
#include "load.h"
#include "objects.h"

namespace gs::bench {
namespace {

const kube::CommandContext kContext{.ns = Namespace(kNamespace)};
const SchedulerName kScheduler("null-binder");

// As many as our scheduler has under way.
constexpr int kMostLeases = 16;

struct Chosen {
  model::BindPod binding;
  std::uint64_t revision = 0;  // of the list that names it first
};

struct Bound {
  std::size_t pod;
};
struct LeaseWritten {};
using News = std::variant<model::Event, Bound, LeaseWritten>;

struct Listed {
  std::vector<model::Pod> pods;
  ResourceVersion version;
};

Listed PodsOf(kube::ApiClient& client, std::string_view prefix) {
  http::Request request;
  request.target = kube::CollectionPath(kube::kPods, Namespace(kNamespace)) +
                   "?labelSelector=bench%3D" + std::string(prefix);
  const auto outcome =
      client.Send(std::move(request), {.timeout = std::chrono::minutes(1), .stop = {}});
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr || response->status != 200) Stop("the pods could not be read");
  const auto page = kube::ParseListPage(response->body);
  if (!page) Stop(ToString(page.error()));
  Listed listed{.pods = {}, .version = page->resource_version};
  for (const auto json : page->items) {
    auto pod = kube::DecodePod(json);
    if (!pod) Stop(ToString(pod.error()));
    listed.pods.push_back(*std::move(pod));
  }
  return listed;
}

model::CreateLease LeaseOf(const model::BindPod& binding, GpuId gpu) {
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
  return chosen;
}

class NullBinder {
 public:
  // `view`: of the pods.
  NullBinder(runtime::IoThreads& threads, const runtime::Clock& clock, kube::ApiClient& client,
             std::vector<Chosen> pods, ResourceVersion view)
      : client_(client),
        pods_(std::move(pods)),
        view_(std::move(view)),
        fence_(OpenClient(threads, clock, 1), clock,
               {.identity = {.pod = PodUid("null-binder"), .process = "bench"},
                .pod = gs::PodName("null-binder"),
                .scheduler = kScheduler,
                .release_namespace = Namespace(kNamespace),
                .fence_namespace = Namespace(std::string(kube::kDefaultFenceNamespace))},
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
    while (!leases_.empty() || leases_under_way_ > 0) TakeNews();
    fence_.Resign();
    return rate;
  }

 private:
  void Board() {
    bool has_changed = has_left_;
    while (next_ < pods_.size() && on_list_.size() < commit::InFlightList::kMaxPods) {
      Chosen& pod = pods_[next_];
      if (pod.binding.allocation.gpus.ids.empty()) {
        Bind(next_++);
        continue;
      }
      pod.revision = revision_ + 1;
      on_list_.insert(next_++);
      has_changed = true;
    }
    if (!has_changed) return;
    // Nobody else binds pods of this benchmark, so there is nothing to be settled before.
    model::ListInFlight list{.revision = ++revision_, .view = view_, .is_settling = true};
    for (const std::size_t number : on_list_) {
      const model::BindPod& binding = pods_[number].binding;
      list.in_flight.push_back(
          model::InFlightOf(binding.pod, binding.resource_version, binding.allocation));
    }
    fence_.SetInFlight(std::move(list));
    has_left_ = false;
  }

  void TakeNews() {
    for (News& news : news_.Drain()) std::visit([this](const auto& one) { On(one); }, news);
  }

  void On(const model::Event& event) {
    if (std::holds_alternative<model::LeadershipWon>(event)) is_leading_ = true;
    if (std::holds_alternative<model::LeadershipLost>(event)) Stop("the lead was lost");
    const auto* listed = std::get_if<model::InFlightListed>(&event);
    if (listed == nullptr) return;
    if (!listed->refused.empty()) Stop("the fence did not take a pod");
    for (const std::size_t number : on_list_) {
      const std::uint64_t revision = pods_[number].revision;
      if (revision > listed_ && revision <= listed->revision) Bind(number);
    }
    listed_ = listed->revision;
  }

  void On(const Bound& bound) {
    ++bound_;
    has_left_ = on_list_.erase(bound.pod) > 0 || has_left_;
    const model::BindPod& binding = pods_[bound.pod].binding;
    for (const GpuId gpu : binding.allocation.gpus.ids) leases_.push_back(LeaseOf(binding, gpu));
    WriteLeases();
  }

  void On(const LeaseWritten& /*written*/) {
    --leases_under_way_;
    WriteLeases();
  }

  void WriteLeases() {
    for (; !leases_.empty() && leases_under_way_ < kMostLeases; leases_.pop_front()) {
      ++leases_under_way_;
      Write(leases_.front(), LeaseWritten{});
    }
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
  const ResourceVersion view_;
  runtime::Mailbox<News> news_;
  std::set<std::size_t> on_list_;
  std::size_t next_ = 0;
  std::size_t bound_ = 0;
  std::deque<model::CreateLease> leases_;  // to be written
  int leases_under_way_ = 0;
  std::uint64_t revision_ = 0;  // given out last
  std::uint64_t listed_ = 0;
  bool is_leading_ = false;
  bool has_left_ = false;   // somebody has left the list since it was given out
  kube::FenceOwner fence_;  // last: its thread uses what is above
};

}  // namespace

void BindAll(runtime::IoThreads& threads, const runtime::Clock& clock, kube::ApiClient& client,
             std::string_view prefix, int gpus) {
  std::vector<Chosen> chosen;
  const Listed listed = PodsOf(client, prefix);
  for (const model::Pod& pod : listed.pods) {
    chosen.push_back(ChoiceFor(pod, static_cast<int>(chosen.size()), gpus));
  }
  NullBinder binder(threads, clock, client, std::move(chosen), listed.version);
  std::cout << "bound " << binder.Run() << " pods/s\n";
}

}  // namespace gs::bench
