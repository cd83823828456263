#include "adapters/kube/watch/kind_teller.h"

#include <utility>
#include <variant>

#include "adapters/kube/objects/json_view.h"

namespace gs::kube {
namespace {

Result<ObjectMeta> MetaOf(const Result<JsonDocument>& object) {
  if (!object) return Error(object.error()).Within("object");
  return ReadObjectMeta(*object);
}

}  // namespace

KindTeller::Seen KindTeller::Look(const ObjectMeta& meta, const JsonSource& json) {
  if (kind_.is_wanted && !kind_.is_wanted(json)) return std::nullopt;
  Seen seen = kind_.decode_seen(meta, json);
  if (*seen) parts_.Share(**seen, meta);  // at once: what is held would be large otherwise
  return seen;
}

template <class LookAtObject>
void KindTeller::TellNews(const KnownObjects::News& news, const ObjectMeta& meta, LookAtObject look,
                          Telling& telling) {
  if (news.gone) TellGone(*news.gone, meta.resource_version, telling);
  if (!news.is_object_news) return;
  Seen seen = look();
  if (!seen) {
    if (const auto told = known_.Untell(meta.key)) TellGone(*told, meta.resource_version, telling);
    return;
  }
  if (!*seen) {
    telling.problems.push_back(std::move(*seen).error());
    return;
  }
  known_.MarkTold(meta.key);
  telling.events.push_back(**std::move(seen));
}

bool KindTeller::BeginList(const ResourceVersion& version) { return known_.BeginList(version); }

Result<void> KindTeller::TellPage(const ListPage& page, Telling& telling) {
  for (const std::string_view json : page.items) {
    if (auto told = TellItem(json, telling); !told) return told;
  }
  return {};
}

Result<void> KindTeller::TellItem(std::string_view json, Telling& telling) {
  const auto object = JsonDocument::Parse(json);
  auto meta = MetaOf(object);
  if (!meta) return std::move(meta).error().Within("list");
  parts_.Share(*meta);
  TellNews(
      known_.Note(*meta), *meta, [&] { return Look(*meta, *object); }, telling);
  return {};
}

Result<void> KindTeller::Hold(std::string_view json) {
  const auto object = JsonDocument::Parse(json);
  auto meta = MetaOf(object);
  if (!meta) return std::move(meta).error().Within("list");
  parts_.Share(*meta);
  Seen seen = Look(*meta, *object);
  held_.push_back({*std::move(meta), std::move(seen)});
  return {};
}

void KindTeller::TellHeld(Telling& telling) {
  for (Held& held : std::exchange(held_, {})) {
    TellNews(
        known_.Note(held.meta), held.meta, [&] { return std::move(held.seen); }, telling);
  }
}

void KindTeller::EndList(const ResourceVersion& version, Telling& telling) {
  is_missing_ = false;
  for (const ObjectMeta& meta : known_.EndList(version)) TellGone(meta, version, telling);
  TellReached(telling);
  std::get<model::ViewReached>(telling.events.back()).is_list = true;
}

Result<void> KindTeller::TellFrame(const WatchFrame& frame, Telling& telling) {
  if (frame.event == WatchEvent::kBookmark) {
    if (known_.Bookmarked(frame.resource_version)) TellReached(telling);
    return {};
  }
  const auto object = JsonDocument::Parse(frame.object);
  auto meta = MetaOf(object);
  if (!meta) return std::move(meta).error().Within("watch");
  parts_.Share(*meta);
  if (frame.event == WatchEvent::kDeleted) {
    if (const auto gone = known_.Deleted(*meta)) {
      TellGone(*gone, frame.resource_version, telling);
    }
  } else {
    TellNews(
        known_.Watched(*meta), *meta, [&] { return Look(*meta, *object); }, telling);
  }
  return {};
}

void KindTeller::TellMissing(Telling& telling) {
  if (std::exchange(is_missing_, true)) return;
  for (const ObjectMeta& meta : known_.Clear()) TellGone(meta, {}, telling);
  told_reached_ = {};
  telling.events.emplace_back(model::KindMissing{kind_.kind});
}

void KindTeller::TellGone(ObjectMeta meta, const ResourceVersion& version, Telling& telling) const {
  meta.resource_version = version;
  telling.events.push_back(kind_.make_gone(meta));
}

void KindTeller::TellReached(Telling& telling) {
  told_reached_ = known_.reached();
  telling.events.emplace_back(model::ViewReached{kind_.kind, told_reached_});
}

void KindTeller::TellProgress(Telling& telling) {
  if (known_.reached() != told_reached_) TellReached(telling);
}

}  // namespace gs::kube
