#include "programs/scheduler/await_server.h"

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "adapters/kube/api/server_version.h"
#include "adapters/kube/api/status_answer.h"

namespace gs::scheduler {
namespace {

// Not there yet, for people; anything else is final.
using Answer = std::variant<kube::ServerVersion, Error, std::string>;

std::string ReasonOf(const http::Response& response) {
  return kube::ClassifyWrite(
             {.code = response.status, .retry_after = {}, .date = {}, .body = response.body},
             kube::WriteVerb::kOther)
      .reason;
}

Answer AnswerOf(const http::Response& response) {
  const int status = response.status;
  if (status == 200) {
    auto version = kube::ParseServerVersion(response.body);
    if (!version) return std::move(version).error().Advise("is this the address of an API server?");
    return *std::move(version);
  }
  std::string reason = ReasonOf(response);
  if (status == 401) {
    return Error(ErrorKind::kInvalid, "the API server does not know who we are: " + reason)
        .Advise("check the user of the kubeconfig, or the token of the service account");
  }
  if (status == 403) {
    return Error(ErrorKind::kInvalid,
                 "the API server does not let us ask for its version: " + reason)
        .Advise("the ClusterRole system:public-info-viewer allows it");
  }
  if (status >= 500 || status == 429) return reason;
  return Error(ErrorKind::kInvalid, "/version is answered with " + reason)
      .Advise("is this the address of an API server?");
}

Answer Ask(kube::ApiClient& client, const AwaitPatience& patience) {
  http::Request request;
  request.target = "/version";
  const auto outcome =
      client.Send(std::move(request), {.timeout = patience.answer_timeout, .stop = patience.stop});
  if (const auto* response = std::get_if<http::Response>(&outcome)) return AnswerOf(*response);
  return ToString(*http::ErrorOf(outcome));
}

}  // namespace

Result<bool> AwaitServer(kube::ApiClient& client, const runtime::Logger& log,
                         const AwaitPatience& patience) {
  kube::Backoff backoff(patience.backoff, std::random_device()());
  while (true) {
    const Answer answer = Ask(client, patience);
    if (const auto* version = std::get_if<kube::ServerVersion>(&answer)) {
      if (auto fine = kube::CheckServerVersion(*version); !fine) return std::move(fine).error();
      log.Info("API server", {{"version", version->text}});
      return true;
    }
    if (const auto* error = std::get_if<Error>(&answer)) return *error;
    if (patience.stop.stop_requested()) return false;
    const Duration wait = backoff.Next();
    log.Warning("waiting for the API server",
                {{"problem", std::get<std::string>(answer)}, {"again_in", PrintDuration(wait)}});
    if (!patience.wait(wait)) return false;
  }
}

}  // namespace gs::scheduler
