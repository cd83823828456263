// Cluster: the embedded cluster put together: store, rules, API and its server, controllers and
// simulated nodes, with certificates made for this run.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/localcluster/kubelet/known_program.h"
#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/local/node_file.h"

namespace gs::local {

struct ClusterOptions {
  std::uint16_t port = 0;  // 0: any free one
  Nodes nodes;
  std::vector<localcluster::KnownProgram> programs;  // that containers really run
  std::vector<boost::json::value> objects;           // of a dump, to begin with
};

class Cluster {
 public:
  // Serves when it returns, with our own kinds and the nodes.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> Start(ClusterOptions options,
                                                              const runtime::Logger& log);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  Cluster(Cluster&&) = delete;
  Cluster& operator=(Cluster&&) = delete;

  // Creates it unless it is there already. Requires: it has a kind, a name and its namespace.
  [[nodiscard]] Result<void> Add(const boost::json::value& object);

  // Until agents have reported the GPUs of so many nodes, or it has taken too long.
  void AwaitReports(std::size_t count);

  // https://127.0.0.1:6443
  [[nodiscard]] std::string server() const;
  // With a certificate for that user, who may do everything.
  [[nodiscard]] Result<std::string> IssueKubeconfig(const std::string& user) const;

 private:
  struct State;
  explicit Cluster(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace gs::local
