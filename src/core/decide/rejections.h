// Rejections: which controller's pods a kubelet has refused, so that the next one is not sent to
// the same node at once. A controller makes a new pod for each that fails; without a pause the two
// of them would fill the cluster with failed pods.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::decide {

struct RejectionOptions {
  Duration first = std::chrono::seconds(10);  // doubled with every further one
  Duration longest = std::chrono::minutes(5);
};

class Rejections {
 public:
  explicit Rejections(RejectionOptions options = {}) : options_(options) {}

  // The kubelet of that node has refused the pod. Without a controller nobody sends another.
  void Note(const model::Pod& pod, const NodeName& node, TimePoint now);
  // Ends what has lasted long enough; true if something did.
  bool Tick(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  // Whether pods of this one's controller are kept away from some node at the moment.
  [[nodiscard]] bool Concern(const model::Pod& pod) const;
  [[nodiscard]] std::optional<model::Reason> Refuse(const model::Pod& pod,
                                                    const NodeName& node) const;

 private:
  struct Rejection {
    model::PodRef pod;
    int times = 0;
    bool is_over = false;
    TimePoint until;  // it lasts; then, once it is over: it is remembered
  };

  RejectionOptions options_;
  std::map<std::pair<ControllerUid, NodeName>, Rejection> rejections_;
};

}  // namespace gs::decide
