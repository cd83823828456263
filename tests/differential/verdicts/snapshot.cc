#include "tests/differential/verdicts/snapshot.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "adapters/json/parse.h"
#include "adapters/kube/watch/watched_kind.h"

namespace gs::differential {
namespace {

namespace bj = boost::json;

const std::map<std::string_view, kube::WatchedKind>& Kinds() {
  static const std::map<std::string_view, kube::WatchedKind> kinds{
      {"nodes", kube::Nodes()},
      {"pods", kube::Pods()},
  };
  return kinds;
}

Result<model::Event> See(const kube::WatchedKind& kind, const bj::value& object) {
  const std::string text = bj::serialize(object);
  const auto meta = kube::ReadObjectMeta(text);
  if (!meta) return meta.error();
  return kind.decode_seen(*meta, text);
}

Result<void> SeeAll(std::string_view field, const bj::value& list, Snapshot& snapshot) {
  const auto kind = Kinds().find(field);
  if (kind == Kinds().end() || !list.is_array()) {
    return Error(ErrorKind::kInvalid, "nothing is known of " + std::string(field));
  }
  for (const bj::value& object : list.get_array()) {
    auto event = See(kind->second, object);
    if (!event) return std::move(event).error();
    snapshot.seen.push_back(*std::move(event));
  }
  return {};
}

Result<void> SeePod(const bj::value& object, Snapshot& snapshot) {
  auto event = See(kube::Pods(), object);
  if (!event) return std::move(event).error();
  snapshot.pod = std::get<model::PodSeen>(*event).pod;
  snapshot.seen.push_back(*std::move(event));
  return {};
}

}  // namespace

Result<Snapshot> ReadSnapshot(std::string_view json) {
  const auto value = json::ParseJson(json);
  if (!value) return value.error();
  if (!value->is_object() || !value->get_object().contains("pod")) {
    return Error(ErrorKind::kInvalid, "expected an object with a pod");
  }
  Snapshot snapshot;
  for (const auto& [field, part] : value->get_object()) {
    auto done = field == "pod" ? SeePod(part, snapshot) : SeeAll(field, part, snapshot);
    if (!done) return std::move(done).error();
  }
  return snapshot;
}

}  // namespace gs::differential
