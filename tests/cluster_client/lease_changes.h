// LeaseChanges: somebody who creates, changes and deletes Leases of GPUs in one namespace.
//
// For one thread. A write whose outcome is not clear is looked up before the next one.
#pragma once

#include <map>
#include <random>

#include "adapters/kube/api/api_client.h"
#include "base/ids.h"
#include "core/model/lease.h"

namespace gs::testing {

class LeaseChanges {
 public:
  LeaseChanges(kube::ApiClient& client, Namespace ns) : client_(client), ns_(std::move(ns)) {}

  // Each for the Lease of that GPU. Requires: for a create it is not there, else it is.
  void Create(int gpu);
  void Update(int gpu);
  void Delete(int gpu);
  // One of them, for one of a few GPUs; always the same sequence as long as nothing fails.
  void Any();

 private:
  void LookUp(int gpu);

  kube::ApiClient& client_;
  const Namespace ns_;
  std::mt19937 random_;
  std::map<int, model::GpuLease> leases_;  // as the API server has them
  int count_ = 0;
};

}  // namespace gs::testing
