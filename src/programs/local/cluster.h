// Cluster: the embedded cluster put together: store, rules, API and its server, with certificates
// made for this run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace gs::local {

class Cluster {
 public:
  // Serves when it returns.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> Start(std::uint16_t port);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  Cluster(Cluster&&) = delete;
  Cluster& operator=(Cluster&&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // For kubectl, as somebody who may do everything.
  [[nodiscard]] const std::string& kubeconfig() const;

 private:
  struct State;
  explicit Cluster(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace gs::local
