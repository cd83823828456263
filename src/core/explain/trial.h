// Trial: whether a pod would start if something were different.
#pragma once

#include <optional>
#include <vector>

#include "core/cache/node_view.h"
#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/explain/scene.h"
#include "core/model/pod.h"
#include "core/pending/pending.h"

namespace gs::explain {

class Trial {
 public:
  Trial(const model::Pod& pod, const decide::Ask& ask, const Scene& scene);

  // With another pod or another ask, on the nodes as they are: all others who wait have no place
  // now, so nobody comes before it.
  [[nodiscard]] std::optional<decide::Placement> Starts(const model::Pod& pod,
                                                        const decide::Ask& ask) const;
  // The same on one node only, and with other pods as they are for the pod itself.
  [[nodiscard]] bool Fits(const cache::NodeView& view, const model::Pod& pod,
                          const decide::Ask& ask) const;
  // On a node that is different: those who wait in front of it are served first. No where they are
  // too many to tell.
  [[nodiscard]] bool StartsOn(cache::NodeView changed) const;
  [[nodiscard]] bool StartsOn(cache::NodeView changed, const decide::PlaceContext& context) const;

  [[nodiscard]] const std::vector<pending::Earlier>& before() const { return before_; }
  [[nodiscard]] bool knows_all_before() const { return knows_all_before_; }

 private:
  [[nodiscard]] bool ServeThoseBefore(cache::NodeView& view,
                                      const decide::PlaceContext& context) const;

  const model::Pod& pod_;
  const decide::Ask& ask_;
  const Scene& scene_;
  const decide::Company company_;  // no change that is tried is about other pods' rules
  std::vector<pending::Earlier> before_;
  bool knows_all_before_ = true;
};

}  // namespace gs::explain
