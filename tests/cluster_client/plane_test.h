// PlaneTest: a real API server, a namespace of the test's own, and a FaultProxy in between.
//
// GS_TEST_PLANE names the folder of a running plane of tools/cluster; without it, all is skipped.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/write/writer.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "tests/support/faults/fault_proxy.h"

namespace gs::testing {

inline constexpr kube::Resource kNamespaces{"", "v1", "namespaces", false};
inline constexpr kube::Resource kConfigMaps{"", "v1", "configmaps"};
inline constexpr kube::Resource kServiceAccounts{"", "v1", "serviceaccounts"};

class PlaneTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] std::unique_ptr<kube::ApiClient> ClientOf(const kube::ConnectionSettings& settings);

  // How a create ends, through that client.
  kube::WriteReply Create(kube::ApiClient& client, const kube::Resource& resource,
                          const boost::json::value& object);
  // Straight from the API server; null where there is none.
  boost::json::value Get(const kube::Resource& resource, const std::string& name);

  std::filesystem::path plane_;
  kube::ConnectionSettings settings_;  // of the plane's administrator
  Namespace ns_;

  runtime::SystemClock clock_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<kube::ApiClient> direct_;
  std::unique_ptr<FaultProxy> proxy_;
  std::unique_ptr<kube::ApiClient> client_;  // through the proxy
};

// Asks again and again; false: it did not become true in time.
[[nodiscard]] bool Eventually(const std::function<bool()>& is_true, Duration timeout);

}  // namespace gs::testing
