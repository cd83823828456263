// What controllers want to know about a pod.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

[[nodiscard]] std::string_view PhaseOf(const Json& pod);
[[nodiscard]] bool IsFinished(const Json& pod);  // Succeeded or Failed
// Neither finished nor on its way out: it counts as a replica.
[[nodiscard]] bool IsActive(const Json& pod);
[[nodiscard]] bool IsReady(const Json& pod);
// Since when it is ready; absent if it is not.
[[nodiscard]] std::optional<TimePoint> ReadySince(const Json& pod);
// When it counts as available: ready for that many seconds. Absent if it is not ready.
[[nodiscard]] std::optional<TimePoint> AvailableFrom(const Json& pod, std::int64_t min_ready);

// A pod as a controller makes it from its template: labels, annotations, finalizers, spec, and who
// owns it. Without a name.
[[nodiscard]] Json PodFromTemplate(const Json& owner, const Json& pod_template);
// A short name for a template: the same for the same template, of letters and digits that spell no
// words. `salt` makes another one where two templates collide.
[[nodiscard]] std::string TemplateHash(const Json& pod_template, std::int64_t salt = 0);

// "web-" becomes "web-x7k2p", in the way of generateName. The same seed gives the same name, so
// that whoever makes the object can also tell of it.
[[nodiscard]] std::string NameWithSuffix(std::string_view prefix, std::string_view seed);
// Names a pod without a name: prefix and suffix, the suffix by who makes it, when, and which of how
// many it is.
void NamePod(Json& pod, const std::string& prefix, TimePoint now, std::int64_t number);

}  // namespace gs::localcluster
