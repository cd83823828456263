#include "adapters/kube/write/event_requests.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <string_view>

#include "base/check.h"

namespace gs::kube {
namespace {

// The API server refuses longer ones.
constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxWord = 128;

// The bytes of a character after its first are 10xxxxxx.
std::string_view CutText(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text;
  std::size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

boost::json::object Regarding(const EventSubject& subject) {
  boost::json::object object{{"apiVersion", "v1"}, {"kind", subject.kind}};
  if (!subject.ns.empty()) object["namespace"] = subject.ns.text();
  object["name"] = subject.name;
  object["uid"] = subject.uid;
  return object;
}

}  // namespace

Result<WriteRequest> CreateEventRequest(const EventNote& event, const std::string& name,
                                        const EventSource& source, TimePoint now) {
  const boost::json::object object{{"apiVersion", "events.k8s.io/v1"},
                                   {"kind", "Event"},
                                   {"metadata", {{"name", name}, {"namespace", event.ns().text()}}},
                                   {"eventTime", PrintTime(now, TimeDetail::kMicros)},
                                   {"reportingController", source.controller.text()},
                                   {"reportingInstance", CutText(source.instance, kMaxWord)},
                                   {"action", source.action},
                                   {"reason", CutText(event.reason, kMaxWord)},
                                   {"regarding", Regarding(event.about)},
                                   {"note", CutText(event.message, kMaxNote)},
                                   {"type", ToString(event.type)}};
  return CreateRequest(kEvents, event.ns(), boost::json::serialize(object));
}

Result<WriteRequest> RepeatEventRequest(const Namespace& ns, const EventWrite& write,
                                        TimePoint now) {
  GS_CHECK(write.count > 1);
  const boost::json::object patch{
      {"series",
       {{"count", write.count}, {"lastObservedTime", PrintTime(now, TimeDetail::kMicros)}}}};
  return PatchRequest({.resource = kEvents, .ns = ns, .name = write.name}, PatchKind::kMerge,
                      boost::json::serialize(patch));
}

}  // namespace gs::kube
