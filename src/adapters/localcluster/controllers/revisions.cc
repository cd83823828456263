#include "adapters/localcluster/controllers/revisions.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

// As a patch of the owner: what clients apply to go back.
Json DataOf(const Json& owner) {
  Json pod_template = Members(owner, {"spec", "template"});
  Make(pod_template, {})["$patch"] = "replace";
  return {{"spec", boost::json::object{{"template", std::move(pod_template)}}}};
}

Json NewRevision(const Json& owner, std::int64_t number) {
  Json data = DataOf(owner);
  const std::string hash = TemplateHash(data, Int(owner, {"status", "collisionCount"}));
  Json revision{{"apiVersion", "apps/v1"}, {"kind", "ControllerRevision"}};
  auto& metadata = Make(revision, {"metadata"});
  metadata["name"] = std::string(NameOf(owner)) + "-" + hash;
  metadata["namespace"] = NamespaceOf(owner);
  metadata["labels"] = Members(owner, {"spec", "template", "metadata", "labels"});
  Make(revision, {"metadata", "labels"})["controller.kubernetes.io/hash"] = hash;
  Make(revision, {"metadata"})["ownerReferences"] = boost::json::array{ControllerReference(owner)};
  Make(revision, {})["data"] = std::move(data);
  Make(revision, {})["revision"] = number;
  return revision;
}

bool IsEarlier(const Json& a, const Json& b) {
  const auto number_a = Int(a, {"revision"});
  const auto number_b = Int(b, {"revision"});
  return number_a != number_b ? number_a < number_b : IsOlder(a, b);
}

}  // namespace

TemplateRevision RevisionOf(const Json& owner, std::vector<Json> revisions) {
  std::sort(revisions.begin(), revisions.end(), IsEarlier);
  const std::int64_t next = revisions.empty() ? 1 : Int(revisions.back(), {"revision"}) + 1;
  const Json data = DataOf(owner);
  const auto same = std::find_if(revisions.rbegin(), revisions.rend(), [&](const Json& revision) {
    return Members(revision, {"data"}) == data.get_object();
  });
  if (same == revisions.rend()) {
    Json made = NewRevision(owner, next);
    return {.revision = made, .writes = {Create(made)}};
  }
  if (same == revisions.rbegin()) return {.revision = *same, .writes = {}};
  Json again = *same;
  Make(again, {})["revision"] = next;
  return {.revision = again, .writes = {Update(again)}};
}

Json TemplateIn(const Json& revision) {
  Json pod_template = Members(revision, {"data", "spec", "template"});
  Make(pod_template, {}).erase("$patch");
  return pod_template;
}

std::vector<Write> DropOldRevisions(const Json& owner, std::vector<Json> revisions,
                                    const std::vector<std::string>& live) {
  std::erase_if(revisions, [&](const Json& revision) {
    return std::find(live.begin(), live.end(), NameOf(revision)) != live.end();
  });
  std::sort(revisions.begin(), revisions.end(), IsEarlier);
  const auto limit = static_cast<std::size_t>(
      std::max<std::int64_t>(0, Int(owner, {"spec", "revisionHistoryLimit"}, 10)));
  std::vector<Write> writes;
  for (std::size_t i = 0; i + limit < revisions.size(); ++i) writes.push_back(Delete(revisions[i]));
  return writes;
}

}  // namespace gs::localcluster
