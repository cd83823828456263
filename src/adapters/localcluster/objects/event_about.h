// Kubernetes Events as controllers and kubelets write them, for `kubectl describe` and
// `kubectl get events`.
#pragma once

#include <string_view>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

struct Note {
  std::string_view reason;
  std::string message;
  std::string_view source;  // the component that says so
  bool is_warning = false;
  std::string_view host = "";
  std::string_view field_path = "";  // of the part that is meant, such as a container
};

// Each call is a new Event; its name comes from the object's and the time.
[[nodiscard]] Write EventAbout(const Json& object, const Note& note, TimePoint now);

}  // namespace gs::localcluster
