#include "adapters/localcluster/objects/event_about.h"

#include <boost/json/object.hpp>
#include <string>

#include "adapters/localcluster/objects/metadata.h"
#include "base/stable_hash.h"

namespace gs::localcluster {
namespace {

boost::json::object InvolvedObject(const Json& object, std::string_view field_path) {
  boost::json::object involved{{"apiVersion", Text(object, {"apiVersion"})},
                               {"kind", KindOf(object)},
                               {"name", NameOf(object)},
                               {"uid", UidOf(object)}};
  if (!NamespaceOf(object).empty()) involved["namespace"] = NamespaceOf(object);
  const auto version = Text(object, {"metadata", "resourceVersion"});
  if (!version.empty()) involved["resourceVersion"] = version;
  if (!field_path.empty()) involved["fieldPath"] = field_path;
  return involved;
}

// Two Events of one object at one moment differ in what they say.
std::string EventName(const Json& object, const Note& note, TimePoint now) {
  const auto moment = std::to_string(now.time_since_epoch().count());
  return std::string(NameOf(object)) + "." +
         StableHashHex(moment + std::string(note.reason) + note.message);
}

}  // namespace

Write EventAbout(const Json& object, const Note& note, TimePoint now) {
  const auto space = NamespaceOf(object);
  boost::json::object source{{"component", note.source}};
  if (!note.host.empty()) source["host"] = note.host;
  return Create({{"apiVersion", "v1"},
                 {"kind", "Event"},
                 {"metadata",
                  {{"name", EventName(object, note, now)},
                   {"namespace", space.empty() ? std::string_view("default") : space}}},
                 {"involvedObject", InvolvedObject(object, note.field_path)},
                 {"reason", note.reason},
                 {"message", note.message},
                 {"source", std::move(source)},
                 {"firstTimestamp", PrintTime(now)},
                 {"lastTimestamp", PrintTime(now)},
                 {"count", 1},
                 {"type", note.is_warning ? "Warning" : "Normal"},
                 {"eventTime", nullptr},
                 {"reportingComponent", note.source},
                 {"reportingInstance", note.host}});
}

}  // namespace gs::localcluster
