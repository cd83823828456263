// AskClass: pods that ask for the same thing have the same chances, so one answer serves them all.
#pragma once

#include <string>

#include "base/ids.h"
#include "core/model/pod.h"

namespace gs::pending {

struct AskClass {
  std::string key;            // the same for pods that ask for the same; not for people
  Namespace ns;               // of the claim
  ClaimName claim;            // empty: none
  bool uses_gpus = false;     // whole ones: the webhook tells the containers how many
  bool uses_volumes = false;  // that not every node can have

  friend bool operator==(const AskClass&, const AskClass&) = default;
};

// Everything of the pod that has a say in where it may go. A pod with a map is a class with those
// of its index only.
[[nodiscard]] AskClass ClassOf(const model::Pod& pod);

}  // namespace gs::pending
