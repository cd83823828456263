// Scene: all that a decision rests on, at one moment, to ask "what if" of. Whoever asks changes a
// copy of one node or of the pod, never the scene.
#pragma once

#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/place.h"
#include "core/pending/pending.h"

namespace gs::explain {

struct Scene {
  const cache::Cache& cache;
  const pending::Pending& pending;
  const decide::PlaceContext& context;
  const decide::AskOptions& ask;
};

}  // namespace gs::explain
