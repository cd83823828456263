// EmbeddedWebhook: gpu-scheduler-webhook in this process, registered with the cluster as the chart
// registers it: a Service, a configuration, and a Secret that it fills itself.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <memory>
#include <string_view>

#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/local/cluster.h"
#include "programs/webhook/webhook.h"

namespace gs::local {

// Whether an object of a dump is of the webhook that ran then: this run has one of its own.
[[nodiscard]] bool IsOfWebhook(const boost::json::value& object);

// Pods of our scheduler ask it when this returns. The cluster must outlive it.
[[nodiscard]] Result<std::unique_ptr<webhook::Webhook>> StartWebhook(
    Cluster& cluster, const std::filesystem::path& kubeconfig, std::string_view version,
    const runtime::Logger& log);

}  // namespace gs::local
