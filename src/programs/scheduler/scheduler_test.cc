// The scheduler as a process, against an API server that answers as a test wants it.
#include "programs/scheduler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/kube/write/server_for_test.h"

namespace gs::scheduler {
namespace {

using ::testing::HasSubstr;

http::Response Json(std::string body) {
  return {
      .status = 200, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

http::Response EmptyList(const std::string& version) {
  return Json(R"({"kind":"List","metadata":{"resourceVersion":")" + version + R"("},"items":[]})");
}

// Every watch ends at once, and by then the store is an older one.
std::optional<http::Response> AnswerRestored(const http::Request& request) {
  const auto asks = [&request](std::string_view what) {
    return request.target.find(what) != std::string::npos;
  };
  if (request.target == "/version") return Json(R"({"major":"1","minor":"34"})");
  if (request.method != http::Method::kGet || asks("/leases/")) {
    return http::Response{.status = 503};
  }
  if (asks("watch=true")) return Json("");
  return EmptyList(asks("/pods?limit=1") ? "50" : "100");
}

// A kubeconfig that goes with the test.
class KubeconfigFile {
 public:
  explicit KubeconfigFile(const std::string& server)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("gs-kubeconfig-" + std::to_string(getpid()))) {
    std::ofstream(path_) << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                         << "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                         << "clusters: [{name: k, cluster: {server: '" << server << "'}}]\n"
                         << "users: [{name: u, user: {}}]\n";
  }
  ~KubeconfigFile() { std::filesystem::remove(path_); }
  KubeconfigFile(const KubeconfigFile&) = delete;
  KubeconfigFile& operator=(const KubeconfigFile&) = delete;
  KubeconfigFile(KubeconfigFile&&) = delete;
  KubeconfigFile& operator=(KubeconfigFile&&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Scheduler, EndsWhereTheStoreIsOlderThanWhatIsKnownOfIt) {
  kube::ServerForTest server(AnswerRestored);
  const KubeconfigFile kubeconfig(server.url());
  const auto command =
      ParseCommandLine({"--kubeconfig", kubeconfig.path(), "--api-listen", "off"}, "test");
  ASSERT_TRUE(command.ok()) << command.error();
  auto options = std::get<SchedulerOptions>(*command);
  options.status = {.address = "127.0.0.1", .port = 0};
  const runtime::Logger log({.level = runtime::LogLevel::kError});
  const auto ended = RunSchedulerUntil({}, options, "test", log);
  ASSERT_FALSE(ended.ok());
  EXPECT_THAT(ToString(ended.error()), HasSubstr("the next one begins with nothing"));
  EXPECT_THAT(ToString(ended.error()), HasSubstr("version 50, which is older"));
}

}  // namespace
}  // namespace gs::scheduler
