// Review: one question of an API server as far as admission needs it: a pod that is being made, or
// one that gets ephemeral containers. Values only; who reads them from JSON is in adapters.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/claim.h"
#include "core/model/labels.h"
#include "core/model/toleration.h"

namespace gs::admit {

enum class Action : std::uint8_t {
  kCreate,
  kAddEphemeralContainers,
  kOther,  // none of our business
};

enum class ValueSource : std::uint8_t {
  kText,        // as written
  kAnnotation,  // of the pod; the kubelet looks it up whenever the container starts
  kOther,       // a Secret, a ConfigMap, another field
};

struct EnvVariable {
  std::string name;
  ValueSource source = ValueSource::kText;
  std::string value;  // the text, or the name of the annotation

  friend bool operator==(const EnvVariable&, const EnvVariable&) = default;
};

std::ostream& operator<<(std::ostream& out, const EnvVariable& variable);

struct Container {
  std::string name;
  std::vector<EnvVariable> env;  // all of them: changes are addressed by position
  std::int64_t gpus = 0;         // whole ones that it requests
  bool has_gpu_parts = false;    // requests nvidia.com/gpu.shared, a MIG device or the like
  bool is_privileged = false;
  bool is_new = true;  // false: an ephemeral container that was there before
};

struct Review {
  Action action = Action::kOther;
  SchedulerName scheduler;
  NodeName node;                           // empty, unless somebody has chosen one already
  model::Labels annotations;               // at least those in names.h
  std::vector<Container> init_containers;  // sidecars too
  std::vector<Container> containers;
  std::vector<Container> ephemeral_containers;
  std::vector<model::Toleration> tolerations;  // those that could be read
  bool has_tolerations = false;                // any at all
  // What the claim that the pod names says; absent: no claim, or not known yet.
  std::optional<model::Exclusivity> exclusivity;
};

}  // namespace gs::admit
