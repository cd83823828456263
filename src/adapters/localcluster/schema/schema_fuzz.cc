// Two lines of bytes, a schema and an object: a schema is refused with its faults or compiled, and
// what it makes of an object stays as it is when it is made again.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/json/parse.h"
#include "adapters/localcluster/schema/schema.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line_end = text.find('\n');
  if (line_end == std::string_view::npos) return 0;
  const auto source = gs::json::ParseJson(text.substr(0, line_end), {.max_bytes = 1 << 14});
  const auto sent = gs::json::ParseJson(text.substr(line_end), {.max_bytes = 1 << 14});
  if (!source || !sent) return 0;

  std::vector<gs::localcluster::StatusCause> faults;
  const auto schema = gs::localcluster::Schema::Compile(*source, "schema", faults);
  GS_CHECK((schema == nullptr) == !faults.empty());
  if (schema == nullptr) return 0;
  boost::json::value object = *sent;
  schema->Prune(object);
  schema->FillDefaults(object);
  boost::json::value again = object;
  schema->Prune(again);
  schema->FillDefaults(again);
  GS_CHECK(again == object);
  (void)schema->Validate(object, nullptr);
  (void)schema->Validate(object, &*sent);
  return 0;
}
