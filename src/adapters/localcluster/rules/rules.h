// Rules: what every write to the embedded cluster goes through before it is stored: nulls are taken
// away as typed objects lose them, defaults are filled in, webhooks are asked, and what is not
// valid is refused.
#pragma once

#include <functional>
#include <utility>

#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

class Rules {
 public:
  // Both must outlive it.
  Rules(const Store& store, ObjectNames& names) : store_(store), names_(names) {}

  // Asked between defaults and validation.
  void AskAlso(Admit webhooks) { webhooks_ = std::move(webhooks); }
  // For kinds that are not built in: defaults, pruning and validation.
  void CheckCustomBy(Admit custom) { custom_ = std::move(custom); }

  // Called for every write; from any thread once it is set up.
  [[nodiscard]] Verdict Admit(Attempt& attempt) const;

 private:
  [[nodiscard]] Verdict Default(Attempt& attempt) const;
  [[nodiscard]] Verdict Check(const Attempt& attempt) const;

  const Store& store_;
  ObjectNames& names_;
  localcluster::Admit webhooks_;
  localcluster::Admit custom_;
};

}  // namespace gs::localcluster
