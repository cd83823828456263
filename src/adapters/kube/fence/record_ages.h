// RecordAges: since when each record of the fence has been as it is, by this process's boot clock.
// What a record says about time is never compared.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "adapters/kube/fence/fence_lease.h"
#include "base/ids.h"
#include "base/time.h"

namespace gs::kube {

class RecordAges {
 public:
  // A version of the fence that was just read.
  void See(const FenceLease& fence, Duration now);
  // A version that we have written: what we changed of other records is no sign of their life.
  void Wrote(const FenceLease& fence, Duration now);

  // Requires: the record, readable or not, is in the version seen last.
  [[nodiscard]] Duration SinceOf(const std::string& key) const { return seen_.at(key).since; }

 private:
  struct Seen {
    std::variant<ReleaseRecord, std::string> record;
    Duration since{0};
  };
  using Records = std::map<std::string, Seen>;

  LeaseUid uid_;
  Records seen_;
};

}  // namespace gs::kube
