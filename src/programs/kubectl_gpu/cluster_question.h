// What can be asked about a cluster on the command line, as values that agree with each other.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "adapters/kube/login/find_settings.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/model/scheduling_map.h"
#include "programs/kubectl_gpu/answer.h"

namespace gs::kubectl_gpu {

// Which cluster, and how its scheduler is set up.
struct ClusterOptions {
  kube::SettingsWish wish;
  Namespace ns;  // empty: that of the kubeconfig's context
  bool has_all_namespaces = false;
  SchedulerName scheduler;
  std::int32_t share_cap = 4;
};

// The whole fleet.
struct StatusQuestion {};
// Who has the GPUs of a node, or some of them, or which GPUs a pod has.
struct WhoQuestion {
  std::string name;        // of a node or a pod, the latter perhaps with its namespace
  std::vector<GpuId> ids;  // of a node; empty: all
};
struct ExplainQuestion {
  std::string pod;  // perhaps with its namespace
};
struct ClaimsQuestion {};
struct PodsQuestion {};
struct TopologyQuestion {
  NodeName node;
};
struct LeasesQuestion {
  bool is_only_stale = false;
};
// What is wrong with a map on this cluster.
struct MapQuestion {
  model::SchedulingMap map;
};
// Where a pod or a claim would go.
struct PlaceQuestion {
  std::string text;  // can be read
};
// Objects of any kind.
struct GetQuestion {
  std::string kind;  // in the user's word
  std::string name;  // empty: all
  std::string selector;
};
// Not a question: objects that are to be there.
struct ApplyQuestion {
  std::vector<boost::json::value> objects;
};
struct VersionQuestion {};

using Question = std::variant<StatusQuestion, WhoQuestion, ExplainQuestion, PodsQuestion,
                              ClaimsQuestion, TopologyQuestion, LeasesQuestion, MapQuestion,
                              PlaceQuestion, GetQuestion, ApplyQuestion, VersionQuestion>;

struct ClusterQuestion {
  ClusterOptions cluster;
  AnswerForm form = AnswerForm::kTable;
  Question what;
};

// One word per option, as typed; empty where it was not given.
struct ClusterArguments {
  std::string kubeconfig;
  std::string context;
  std::string ns;
  bool has_all_namespaces = false;
  std::string scheduler = "gpu-scheduler";
  std::string share_cap = "4";
  std::string output = "table";
  std::string subject;  // a node, a pod, a kind
  std::string name;     // of an object of that kind
  std::string selector;
  std::string file;
  bool is_only_stale = false;
};

// Requires: `command` is one of those above, in lower case. Reads the file that is named.
[[nodiscard]] Result<ClusterQuestion> ReadClusterQuestion(const std::string& command,
                                                          const ClusterArguments& args);

}  // namespace gs::kubectl_gpu
