// Definitions: turns CustomResourceDefinitions of the store into kinds that are served. It follows
// the store on the thread that writes, so that a definition is served before its creator hears of
// it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/localcluster/schema/schema.h"
#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/objects.h"
#include "adapters/localcluster/store/store.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

class Definitions {
 public:
  // All must outlive it, and it must outlive every write to the store.
  Definitions(Store& store, Kinds& kinds, const runtime::Clock& clock);

  // Rules for definitions themselves and for objects of custom kinds.
  [[nodiscard]] Verdict Admit(Attempt& attempt) GS_EXCLUDES(mutex_);

 private:
  void Follow() GS_EXCLUDES(mutex_);
  void Apply(const Change& change) GS_REQUIRES(mutex_);
  [[nodiscard]] Verdict AdmitDefinition(Attempt& attempt) const;
  [[nodiscard]] Verdict AdmitObject(Attempt& attempt) GS_EXCLUDES(mutex_);

  Store& store_;
  Kinds& kinds_;
  const runtime::Clock& clock_;
  runtime::Mutex mutex_;
  Revision after_ GS_GUARDED_BY(mutex_) = 0;
  // By apiVersion and kind.
  std::map<std::string, std::shared_ptr<const Schema>> schemas_ GS_GUARDED_BY(mutex_);
  Store::WakeHandle wake_;
};

}  // namespace gs::localcluster
