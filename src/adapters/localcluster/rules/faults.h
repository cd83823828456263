// Faults: what is wrong with an object, field by field, in the words of an API server.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

class Faults {
 public:
  void Required(std::string field, std::string_view detail = {});
  void Invalid(std::string field, const boost::json::value& value, std::string_view detail);
  void Unsupported(std::string field, std::string_view value,
                   const std::vector<std::string_view>& supported);
  void Duplicate(std::string field, std::string_view value);
  void Forbidden(std::string field, std::string_view detail);

  [[nodiscard]] bool empty() const { return causes_.empty(); }
  // 422 about everything that was wrong; nothing if nothing was.
  [[nodiscard]] Verdict About(const Kind& kind, std::string_view name) const;

 private:
  std::vector<StatusCause> causes_;
};

// "spec.containers" and 2: "spec.containers[2]".
[[nodiscard]] std::string At(std::string_view field, std::size_t index);

}  // namespace gs::localcluster
