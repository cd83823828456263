// ClusterApi: the few requests that the generator makes, as JSON in and out.
//
// Reads are whole lists; writes are never repeated here, since every run looks at what is there and
// goes on from it.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/api/resource.h"
#include "adapters/kube/login/find_settings.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"

namespace gs::machinesets {

inline constexpr kube::Resource kMachineSets{"machine.openshift.io", "v1beta1", "machinesets"};
inline constexpr kube::Resource kMachines{"machine.openshift.io", "v1beta1", "machines"};
inline constexpr kube::Resource kInfrastructures{"config.openshift.io", "v1", "infrastructures",
                                                 false};
inline constexpr kube::Resource kMachineAutoscalers{"autoscaling.openshift.io", "v1beta1",
                                                    "machineautoscalers"};
inline constexpr kube::Resource kClusterAutoscalers{"autoscaling.openshift.io", "v1",
                                                    "clusterautoscalers", false};
inline constexpr kube::Resource kClusterPolicies{"nvidia.com", "v1", "clusterpolicies", false};
inline constexpr kube::Resource kFeatureDiscoveries{"nfd.openshift.io", "v1",
                                                    "nodefeaturediscoveries"};

// Fields that we set belong to this manager.
inline constexpr std::string_view kFieldManager = "gpu-machinesets";

enum class Force : std::uint8_t { kNo, kYes };      // takes fields that somebody else set
enum class Writing : std::uint8_t { kKept, kDry };  // a dry one is checked and thrown away

class ClusterApi {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ClusterApi>> Connect(const kube::SettingsWish& wish,
                                                                   std::string_view version,
                                                                   Writing writing);

  // An empty namespace means all. Errors: kNotFound where the kind is not served.
  [[nodiscard]] Result<std::vector<boost::json::value>> List(const kube::Resource& resource,
                                                             std::string_view ns);
  [[nodiscard]] Result<boost::json::value> Get(const kube::Resource& resource, std::string_view ns,
                                               std::string_view name);
  // Server-side apply; the object as it is then. Errors: kConflict where somebody was faster.
  [[nodiscard]] Result<boost::json::value> Apply(const kube::Resource& resource,
                                                 const boost::json::object& document, Force force);
  [[nodiscard]] Result<boost::json::value> Create(const kube::Resource& resource,
                                                  const boost::json::object& document);
  [[nodiscard]] Result<void> Delete(const kube::Resource& resource, std::string_view ns,
                                    std::string_view name);

 private:
  explicit ClusterApi(Writing writing) : writing_(writing), io_(1) {}

  [[nodiscard]] Result<boost::json::value> Ask(http::Method method, const std::string& target,
                                               std::string body = "", std::string type = "");
  [[nodiscard]] std::string DryRun(char before) const;

  const Writing writing_;
  const runtime::SystemClock clock_;
  runtime::IoThreads io_;
  std::unique_ptr<kube::ApiClient> client_;
};

}  // namespace gs::machinesets
