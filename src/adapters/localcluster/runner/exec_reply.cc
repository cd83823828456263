#include "adapters/localcluster/runner/exec_reply.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/http/websocket.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/runner/named_container.h"
#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kProtocol = "v5.channel.k8s.io";
// The first byte of a message says what it is.
constexpr char kOutput = 1;
constexpr char kOutcome = 3;

// What a command printed and how it ended.
struct Ended {
  std::string output;
  Status outcome;
};

http::Reply Refused(const Status& status) {
  return http::Response{.status = status.code,
                        .headers = {{"Content-Type", "application/json"}},
                        .body = PrintStatus(status)};
}

Status Success() {
  Status status;
  status.code = 200;
  status.reason.clear();
  return status;
}

Status ExitedWith(int code) {
  Status status;
  status.reason = "NonZeroExitCode";
  status.message =
      "command terminated with non-zero exit code: exit status " + std::to_string(code);
  status.causes.push_back({.reason = "ExitCode", .message = std::to_string(code), .field = ""});
  return status;
}

Status NothingToRun(const std::string& program) {
  Status status;
  status.message = "Internal error occurred: \"" + program +
                   "\" cannot be run in a simulated container: only env and printenv can";
  return status;
}

Ended PrintAll(const Variables& variables) {
  Ended ended{.output = "", .outcome = Success()};
  for (const auto& [name, value] : variables) ended.output += name + "=" + value + "\n";
  return ended;
}

Ended PrintSome(const Variables& variables, const std::vector<std::string>& command) {
  Ended ended{.output = "", .outcome = Success()};
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string* found = nullptr;
    for (const auto& [name, value] : variables) {
      if (name == command[i]) found = &value;
    }
    if (found == nullptr) {
      ended.outcome = ExitedWith(1);
    } else {
      ended.output += *found + "\n";
    }
  }
  return ended;
}

Ended Run(const std::vector<std::string>& command, const Variables& variables) {
  const std::string program = command.empty() ? "" : command.front();
  const bool is_plain = command.size() == 1;
  if (is_plain && (program == "env" || program == "printenv")) return PrintAll(variables);
  if (program == "printenv") return PrintSome(variables, command);
  return {.output = "", .outcome = NothingToRun(program)};
}

}  // namespace

http::Reply AnswerExec(const Json& pod, const ExecQuery& query, const http::Headers& headers,
                       const ContainerOutputs& outputs) {
  const auto container = ContainerOf(pod, query.container);
  if (!container) return Refused(container.status());
  const auto variables =
      outputs.Environment({std::string(NamespaceOf(pod)), std::string(NameOf(pod)), *container});
  if (!variables) {
    Status status;
    status.message = "unable to upgrade connection: container not found (\"" + *container + "\")";
    return Refused(status);
  }
  const auto ended = Run(query.command, *variables);
  std::vector<std::string> messages;
  if (!ended.output.empty()) messages.push_back(kOutput + ended.output);
  messages.push_back(kOutcome + PrintStatus(ended.outcome));
  auto reply = http::TellByWebSocket(headers, kProtocol, std::move(messages));
  if (!reply) return Refused(BadRequest("Upgrade request required"));
  return *std::move(reply);
}

}  // namespace gs::localcluster
