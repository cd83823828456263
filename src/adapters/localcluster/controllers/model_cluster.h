// A cluster for tests of controllers: objects in a map, writes carried out as the API would, and
// controllers called until nothing changes. Pods do what a test says, or run at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

class ModelCluster {
 public:
  // Reads one object from YAML and creates it in namespace team. Returns it as it was created.
  Json Add(std::string_view yaml);

  // False where the API would refuse: an old resourceVersion, a name that is taken or gone.
  bool Apply(const Write& write);

  // In the order of their names.
  [[nodiscard]] std::vector<Json> All(std::string_view kind) const;
  [[nodiscard]] std::vector<Json> Owned(std::string_view kind, const Json& owner) const;
  // Requires: it is there.
  [[nodiscard]] Json Get(std::string_view kind, std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view kind, std::string_view name) const;

  // Changes spec fields as a user would: generation moves.
  void Change(const Json& object);
  void ChangeStatus(const Json& object);
  void DeleteNow(const Json& object);

  // Calls every controller for every object once; returns how many writes were carried out.
  std::size_t Step();
  // Until no controller wants anything. Fails the test after far too many steps.
  void Settle();
  // All pods that are not finished run and are ready; those being deleted are gone.
  void RunPods();
  // Settle and RunPods, in turn, until both have nothing to do.
  void SettleAndRun();
  void SetPhase(std::string_view pod, std::string_view phase);

  [[nodiscard]] TimePoint now() const { return now_; }
  void Pass(Duration time) { now_ += time; }
  // When a controller asked to be called again at the latest Step.
  [[nodiscard]] std::optional<TimePoint> look_again() const { return look_again_; }
  [[nodiscard]] std::size_t event_count() const { return event_count_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name
  [[nodiscard]] static Key KeyOf(const Json& object);
  [[nodiscard]] Reconciled Reconcile(const Json& object) const;
  bool CreateObject(Json object);
  bool Replace(const Write& write);
  bool Remove(const Write& write);

  std::map<Key, Json> objects_;
  std::int64_t revision_ = 0;
  std::size_t event_count_ = 0;
  TimePoint now_ = *ParseTime("2026-05-01T12:00:00Z");
  std::optional<TimePoint> look_again_;
};

}  // namespace gs::localcluster
