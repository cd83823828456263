// Any JSON as an object of every kind: each row has a cell for each column. Any text as the path of
// a printer column.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/json/parse.h"
#include "adapters/localcluster/tables/table_format.h"
#include "base/check.h"

using gs::localcluster::IncludeObject;
using gs::localcluster::TableFormat;

namespace {

void Check(const TableFormat& format, const boost::json::object& object) {
  const auto row = format.Row(object, IncludeObject::kMetadata, gs::TimePoint());
  GS_CHECK(row.at("cells").as_array().size() == format.Columns().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line_end = text.find('\n');
  if (line_end == std::string_view::npos) return 0;
  const auto object = gs::json::ParseJson(text.substr(line_end), {.max_bytes = 1 << 14});
  if (!object || !object->is_object()) return 0;
  for (const auto* kind : {"Pod", "Node", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet",
                           "Job", "Service", "Endpoints", "Event", "ConfigMap", "PersistentVolume",
                           "PersistentVolumeClaim", "StorageClass", "PodDisruptionBudget",
                           "RoleBinding", "MutatingWebhookConfiguration", "Other"}) {
    Check(TableFormat::OfBuiltIn(kind), object->get_object());
  }
  const boost::json::value columns = boost::json::array{boost::json::object{
      {"name", "X"}, {"type", "string"}, {"jsonPath", text.substr(0, line_end)}}};
  if (const auto custom = TableFormat::OfCustom(&columns)) Check(*custom, object->get_object());
  return 0;
}
