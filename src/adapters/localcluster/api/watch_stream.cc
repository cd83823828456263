#include "adapters/localcluster/api/watch_stream.h"

#include <algorithm>
#include <utility>

#include "adapters/localcluster/api/list.h"

namespace gs::localcluster {
namespace {

constexpr std::size_t kChangesAtATime = 256;

std::string Frame(std::string_view type, std::string_view object) {
  std::string frame = "{\"type\":\"";
  frame += type;
  frame += "\",\"object\":";
  frame += object;
  frame += "}\n";
  return frame;
}

// An object that left the selection is shown as it was, with the revision at which it left.
StoredObject AsOf(const StoredObject& before, Revision revision) {
  StoredObject shown = before;
  const auto digits = std::to_string(revision);
  shown.text.replace(shown.revision_at, shown.revision_size, digits);
  shown.revision_size = static_cast<std::uint32_t>(digits.size());
  shown.revision = revision;
  return shown;
}

}  // namespace

WatchStream::WatchStream(const Store& store, std::string resource, const Kind& kind,
                         ListRequest request, Show show)
    : store_(store),
      resource_(std::move(resource)),
      api_version_(kind.api_version()),
      kind_(kind.kind),
      request_(std::move(request)),
      show_(std::move(show)) {
  Start();
}

void WatchStream::Start() {
  const bool has_start = !request_.resource_version.empty() && request_.resource_version != "0";
  if (has_start && !request_.sends_initial_events) {
    after_ = request_.revision;
    return;
  }
  auto listing = store_.List(resource_, request_.ns);
  after_ = listing.revision;
  is_end_of_initial_due_ = request_.sends_initial_events && request_.has_bookmarks;
  for (auto& object : listing.objects) {
    if (request_.selection.Matches(*object)) initial_.push_back(std::move(object));
  }
}

std::string WatchStream::ShowObject(const StoredObject& object) const {
  return show_ ? show_(object) : object.text;
}

std::string WatchStream::Pull(std::size_t bytes) {
  std::string frames;
  PullInitial(bytes, frames);
  if (initial_.empty() && frames.size() < bytes) PullChanges(bytes, frames);
  return frames;
}

void WatchStream::PullInitial(std::size_t bytes, std::string& frames) {
  while (told_ < initial_.size() && frames.size() < bytes) {
    frames += Frame("ADDED", ShowObject(*initial_[told_++]));
  }
  if (told_ < initial_.size()) return;
  initial_.clear();
  told_ = 0;
  if (!std::exchange(is_end_of_initial_due_, false)) return;
  frames +=
      Frame("BOOKMARK", "{\"kind\":\"" + kind_ + "\",\"apiVersion\":\"" + api_version_ +
                            "\",\"metadata\":{\"resourceVersion\":\"" + std::to_string(after_) +
                            "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}");
}

void WatchStream::PullChanges(std::size_t bytes, std::string& frames) {
  while (frames.size() < bytes && !has_ended_) {
    const auto read = store_.ReadChanges(resource_, after_, kChangesAtATime);
    if (read.is_gone) {
      has_ended_ = true;
      const auto gone = Expired("too old resource version: " + std::to_string(after_) + " (" +
                                std::to_string(read.oldest) + ")");
      frames += Frame("ERROR", PrintStatus(gone));
      return;
    }
    for (const auto& change : read.changes) AddFrame(change, frames);
    after_ = std::max(after_, read.through);
    if (read.changes.empty()) return;
  }
}

void WatchStream::AddFrame(const Change& change, std::string& frames) {
  if (!request_.ns.empty() && change.object->ns != request_.ns) return;
  const bool was = change.before && request_.selection.Matches(*change.before);
  if (change.kind == ChangeKind::kDeleted) {
    if (was) frames += Frame("DELETED", ShowObject(*change.object));
    return;
  }
  const bool is = request_.selection.Matches(*change.object);
  if (is) {
    frames += Frame(was ? "MODIFIED" : "ADDED", ShowObject(*change.object));
  } else if (was) {
    frames += Frame("DELETED", ShowObject(AsOf(*change.before, change.object->revision)));
  }
}

std::string WatchStream::Bookmark() {
  if (!request_.has_bookmarks || has_ended_ || !initial_.empty()) return {};
  return Frame("BOOKMARK", "{\"kind\":\"" + kind_ + "\",\"apiVersion\":\"" + api_version_ +
                               "\",\"metadata\":{\"resourceVersion\":\"" + std::to_string(after_) +
                               "\"}}");
}

}  // namespace gs::localcluster
