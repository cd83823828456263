// Whether an API server serves a kind, from what it tells about itself. A 404 of a list does not
// say so: real servers answer it with the same plain text as many a proxy.
//
// Pure: the caller does the requests, first that of the group's version and then, if that is not
// found, that of all groups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/kube/api/resource.h"

namespace gs::kube {

enum class Serving : std::uint8_t {
  kServed,
  kNotServed,
  kUnknown,  // the answer does not say
};

// "/apis/gpu.scheduling/v1"
[[nodiscard]] std::string GroupVersionPath(const Resource& resource);
// From the answer there: which kinds the version has.
[[nodiscard]] Serving ServingInVersion(int status, std::string_view body, const Resource& resource);

// Where all groups but the core one are named.
inline constexpr std::string_view kGroupsPath = "/apis";
// From the answer there. kServed: the group has that version, whatever it has in it.
[[nodiscard]] Serving ServingInGroups(int status, std::string_view body, const Resource& resource);

}  // namespace gs::kube
