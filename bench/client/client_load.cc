// client_load: what the Kubernetes client costs, against a real API server.
//
//   client_load make PREFIX NODES PODS       creates objects to read or to bind
//   client_load list                         lists nodes and pods: the transfer alone, then decoded
//   client_load list json                    the same as JSON, where watchers ask for protobuf
//   client_load bind PREFIX PODS CONNECTIONS binds such pods, so many requests at a time
//
// The server is the one of KUBECONFIG. Prints one line per measurement; bench/client/run and
// bench/local/run call it.
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/api/list_page.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/watch/watch_request.h"
#include "adapters/kube/watch/watcher.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "load.h"

namespace gs {
namespace {

using bench::Number;
using bench::Stop;
using bench::WriteAll;

constexpr const char* kNamespace = "bench";
constexpr kube::Resource kNamespaces{"", "v1", "namespaces", false};

std::string NodeJson(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"gpu-type":"a100","zone":"a"}}})";
}

std::string PodJson(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"app":"bench","team":"a"},"annotations":{"gpu.scheduling/claim":"pair"}},)"
         R"("spec":{"schedulerName":"nobody","automountServiceAccountToken":false,)"
         R"("containers":[{"name":"main","image":"none","env":[{"name":"A","value":"1"}],)"
         R"("resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}})";
}

std::string BindingJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + name +
         R"("},"target":{"apiVersion":"v1","kind":"Node","name":"bench-0"}})";
}

void Make(kube::ApiClient& client, const std::string& prefix, int nodes, int pods) {
  const Namespace ns(kNamespace);
  (void)kube::Write(client, kube::CreateRequest(kNamespaces, {}, NodeJson(kNamespace)));
  const int made_nodes = WriteAll(client, nodes, [](int i) {
    return kube::CreateRequest(kube::kNodes, {}, NodeJson("bench-" + std::to_string(i)));
  });
  const auto start = std::chrono::steady_clock::now();
  const int made_pods = WriteAll(client, pods, [&](int i) {
    return kube::CreateRequest(kube::kPods, ns, PodJson(prefix + "-" + std::to_string(i)));
  });
  if (made_pods != pods) Stop("only " + std::to_string(made_pods) + " pods could be created");
  std::cout << "created " << made_nodes << " nodes and " << made_pods << " pods, "
            << static_cast<int>(pods / bench::SecondsSince(start)) << " pods/s\n";
}

struct Read {
  std::size_t objects = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

// One page as a watcher asks for it, or as JSON whatever there is.
enum class Form : std::uint8_t { kAsWatched, kJson };

http::Request PageRequest(const kube::Resource& resource, Form form, const std::string& token) {
  auto request = kube::ListRequest({.resource = resource}, kube::WatcherOptions().page_size, token);
  if (form == Form::kJson) request.headers = {};
  return request;
}

// All pages of one kind; each goes to `take`, which returns how many objects it had.
Read ReadAll(kube::ApiClient& client, const kube::Resource& resource, Form form,
             const std::function<std::size_t(const kube::ListPage&)>& take) {
  Read read;
  const auto start = std::chrono::steady_clock::now();
  std::string token;
  do {
    const auto outcome = client.Send(PageRequest(resource, form, token),
                                     {.timeout = std::chrono::minutes(1), .stop = {}});
    const auto* response = std::get_if<http::Response>(&outcome);
    if (response == nullptr || response->status != 200) Stop("a page could not be read");
    const auto page = kube::ParseListPage(response->body);
    if (!page) Stop(ToString(page.error()));
    read.bytes += response->body.size();
    read.objects += take(*page);
    token = page->continue_token;
  } while (!token.empty());
  read.seconds = bench::SecondsSince(start);
  return read;
}

void Show(const char* what, const Read& read) {
  std::cout << what << ": " << read.objects << " objects, " << read.bytes / 1000000 << " MB in "
            << read.seconds << " s\n";
}

template <class Object, class Decode>
void Compare(kube::ApiClient& client, const kube::Resource& resource, Form form, Decode decode) {
  const std::string title = TitleOf(resource);
  const Read raw =
      ReadAll(client, resource, form, [](const kube::ListPage& page) { return page.items.size(); });
  std::vector<Object> objects;
  const auto before = mallinfo2().uordblks;
  const Read decoded = ReadAll(client, resource, form, [&](const kube::ListPage& page) {
    for (const auto json : page.items) {
      auto object = decode(json);
      if (object) objects.push_back(*std::move(object));
    }
    return page.items.size();
  });
  objects.shrink_to_fit();
  const auto after = mallinfo2().uordblks;
  Show((title + " transferred").c_str(), raw);
  Show((title + " decoded").c_str(), decoded);
  std::cout << title << ": decoded/transferred " << decoded.seconds / raw.seconds << ", "
            << (objects.empty() ? 0 : (after - before) / objects.size()) << " bytes each\n";
}

void Bind(kube::ApiClient& client, const std::string& prefix, int pods, int connections) {
  bench::Connect(client, connections);
  const auto start = std::chrono::steady_clock::now();
  const int bound = WriteAll(client, pods, [&](int i) {
    const std::string name = prefix + "-" + std::to_string(i);
    return kube::PostRequest({.resource = kube::kPods,
                              .ns = Namespace(kNamespace),
                              .name = name,
                              .subresource = "binding"},
                             BindingJson(name));
  });
  std::cout << "bound " << bound << " of " << pods << " pods, "
            << static_cast<int>(bound / bench::SecondsSince(start)) << " bindings/s\n";
}

int Run(const std::vector<std::string>& args) {
  const bool is_bind = args.size() == 4 && args[0] == "bind";
  const bool is_make = args.size() == 4 && args[0] == "make";
  const bool is_json = args.size() == 2 && args[1] == "json";
  const bool is_list = (args.size() == 1 || is_json) && args[0] == "list";
  if (!is_bind && !is_make && !is_list) Stop("see the head of client_load.cc");
  const runtime::SystemClock clock;
  runtime::IoThreads threads(2);
  const std::size_t max_running = is_bind ? static_cast<std::size_t>(Number(args[3])) : 128;
  const auto client = bench::OpenClient(threads, clock, max_running);
  if (is_make) Make(*client, args[1], Number(args[2]), Number(args[3]));
  if (is_bind) Bind(*client, args[1], Number(args[2]), Number(args[3]));
  if (is_list) {
    const Form form = is_json ? Form::kJson : Form::kAsWatched;
    Compare<model::Node>(*client, kube::kNodes, form, kube::DecodeNode);
    Compare<model::Pod>(*client, kube::kPods, form, kube::DecodePod);
  }
  return 0;
}

}  // namespace
}  // namespace gs

int main(int argc, char** argv) {
  return gs::Run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
