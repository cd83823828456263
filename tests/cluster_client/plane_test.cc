#include "tests/cluster_client/plane_test.h"

#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <thread>
#include <utility>

#include "adapters/json/parse.h"
#include "adapters/kube/login/file_reader.h"
#include "adapters/kube/login/find_settings.h"

namespace gs::testing {

void PlaneTest::SetUp() {
  const char* plane = std::getenv("GS_TEST_PLANE");
  if (plane == nullptr) GTEST_SKIP() << "GS_TEST_PLANE names no plane";
  plane_ = plane;
  const auto settings = kube::FindSettings({.kubeconfig = plane_ / "admin.kubeconfig"});
  ASSERT_TRUE(settings.ok()) << settings.error();
  settings_ = *settings;
  direct_ = ClientOf(settings_);
  auto proxy = FaultProxy::Start(threads_, settings_);
  ASSERT_TRUE(proxy.ok()) << proxy.error();
  proxy_ = *std::move(proxy);
  client_ = ClientOf(proxy_->settings());
  const std::string name = "faults-" +
                           std::to_string(clock_.WallTime().time_since_epoch().count()) + "-" +
                           std::to_string(getpid());
  const auto made = Create(*direct_, kNamespaces, {{"metadata", {{"name", name}}}});
  ASSERT_EQ(made.answer.outcome, model::WriteOutcome::kDone) << made.answer.reason;
  ns_ = Namespace(name);
}

void PlaneTest::TearDown() {
  if (ns_.empty()) return;
  (void)kube::Write(*direct_, kube::DeleteRequest({kNamespaces, Namespace(), ns_.text()}, {}));
}

std::unique_ptr<kube::ApiClient> PlaneTest::ClientOf(const kube::ConnectionSettings& settings) {
  auto login = kube::MakeLoginSource(settings, kube::ReadFile, kube::RunProcess);
  auto client = kube::ApiClient::Create(threads_, settings, std::move(login), clock_);
  EXPECT_TRUE(client.ok()) << client.error();
  return *std::move(client);
}

kube::WriteReply PlaneTest::Create(kube::ApiClient& client, const kube::Resource& resource,
                                   const boost::json::value& object) {
  return kube::Write(client, kube::CreateRequest(resource, ns_, boost::json::serialize(object)));
}

boost::json::value PlaneTest::Get(const kube::Resource& resource, const std::string& name) {
  http::Request request;
  request.target = kube::ObjectPath(resource, ns_, name);
  const auto outcome = direct_->Send(std::move(request));
  const auto* response = std::get_if<http::Response>(&outcome);
  if (response == nullptr || response->status != 200) return nullptr;
  return *json::ParseJson(response->body);
}

bool Eventually(const std::function<bool()>& is_true, Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace gs::testing
