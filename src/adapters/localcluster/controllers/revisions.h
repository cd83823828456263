// ControllerRevisions: the versions of a template that StatefulSets and DaemonSets keep, so that
// `kubectl rollout undo` has something to go back to and a pod can be made as it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// The version of the present template: found among those there are, or as it has to be created.
struct TemplateRevision {
  Json revision;
  std::vector<Write> writes;  // to create it, or to make it the latest again; empty: it is both
};
// `revisions` are those the owner controls.
[[nodiscard]] TemplateRevision RevisionOf(const Json& owner, std::vector<Json> revisions);

// The pod template that a revision stands for.
[[nodiscard]] Json TemplateIn(const Json& revision);

// Deletions of the oldest revisions beyond spec.revisionHistoryLimit. Those in `live` stay.
[[nodiscard]] std::vector<Write> DropOldRevisions(const Json& owner, std::vector<Json> revisions,
                                                  const std::vector<std::string>& live);

}  // namespace gs::localcluster
