#include "load.h"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <latch>
#include <semaphore>

#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"
#include "base/parse.h"

namespace gs::bench {
namespace {

constexpr int kMaxUnderWay = 1000;

}  // namespace

void Stop(const std::string& why) {
  std::cerr << "bench: " << why << "\n";
  std::exit(1);
}

double SecondsSince(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

int Number(const std::string& text) {
  const auto number = ParseInt32(text, {0, 10000000});
  if (!number) Stop("\"" + text + "\" is no number");
  return *number;
}

std::unique_ptr<kube::ApiClient> OpenClient(runtime::IoThreads& threads,
                                            const runtime::Clock& clock, std::size_t max_running) {
  const auto settings = kube::FindSettings({});
  if (!settings) Stop(ToString(settings.error()));
  kube::ApiOptions options;
  options.max_running = max_running;
  auto client = kube::ApiClient::Create(
      threads, *settings, kube::MakeLoginSource(*settings, kube::ReadFile, kube::RunProcess), clock,
      options);
  if (!client) Stop(ToString(client.error()));
  return *std::move(client);
}

void Connect(kube::ApiClient& client, int connections) {
  std::latch answered(connections);
  for (int i = 0; i < connections; ++i) {
    http::Request request;
    request.target = "/version";
    client.SendThen(std::move(request), {.timeout = std::chrono::minutes(1), .stop = {}},
                    [&](const http::Outcome&) { answered.count_down(); });
  }
  answered.wait();
}

int WriteAll(kube::ApiClient& client, int count,
             const std::function<Result<kube::WriteRequest>(int)>& request) {
  std::atomic<int> done = 0;
  std::latch answered(count);
  std::counting_semaphore<> room(kMaxUnderWay);
  for (int i = 0; i < count; ++i) {
    room.acquire();
    kube::WriteThen(client, request(i), {.timeout = std::chrono::minutes(10), .stop = {}},
                    [&](const kube::WriteReply& reply) {
                      if (reply.answer.outcome == model::WriteOutcome::kDone) ++done;
                      room.release();
                      answered.count_down();
                    });
  }
  answered.wait();
  return done;
}

}  // namespace gs::bench
