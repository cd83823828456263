#include "adapters/kube/api/connection.h"

#include <utility>

#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/login_source.h"
#include "adapters/kube/login/run_process.h"

namespace gs::kube {
namespace {

constexpr int kFirstRefusal = 300;

ErrorKind KindOfRefusal(int status) {
  if (status == 404) return ErrorKind::kNotFound;
  if (status == 409) return ErrorKind::kConflict;
  if (status == 415) return ErrorKind::kUnsupported;
  return status >= 500 || status == 429 ? ErrorKind::kUnavailable : ErrorKind::kInvalid;
}

}  // namespace

Error RefusalOf(const http::Request& request, const http::Response& response) {
  const auto status = ParseStatus(response.body);
  const std::string why = status ? status->message : response.body;
  return {KindOfRefusal(response.status), std::string(ToString(request.method)) + " " +
                                              request.target + ": " +
                                              std::to_string(response.status) + " " + why};
}

Result<std::unique_ptr<Connection>> Connection::Open(const ConnectionSettings& settings,
                                                     const std::string& user_agent) {
  std::unique_ptr<Connection> connection(new Connection);
  auto client = ApiClient::Create(connection->threads_, settings,
                                  MakeLoginSource(settings, ReadFile, RunProcess),
                                  connection->clock_, {.user_agent = user_agent});
  if (!client) return std::move(client).error();
  connection->client_ = *std::move(client);
  return connection;
}

Result<http::Response> Connection::Send(const http::Request& request) {
  auto outcome = client_->Send(request);
  if (const Error* failed = http::ErrorOf(outcome)) return *failed;
  auto& response = std::get<http::Response>(outcome);
  if (response.status >= kFirstRefusal) return RefusalOf(request, response);
  return std::move(response);
}

}  // namespace gs::kube
