// Tables: what `kubectl get` asks for instead of objects: rows that the server has made for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/api/view.h"
#include "adapters/localcluster/store/store.h"
#include "adapters/localcluster/tables/table_format.h"
#include "base/time.h"

namespace gs::localcluster {

class TableReply {
 public:
  // Nothing if objects are wanted. Refused: a wish for the rows' objects that makes no sense.
  [[nodiscard]] static Answer<std::optional<TableReply>> For(const Store& store, const View& view,
                                                             const ApiRequest& request);

  [[nodiscard]] std::string Print(boost::json::object list_metadata,
                                  const std::vector<ObjectPtr>& objects, TimePoint now) const;
  // The same of one object; without columns where they have been told before.
  enum class Columns : std::uint8_t { kTell, kOmit };
  [[nodiscard]] std::string PrintOne(const StoredObject& object, TimePoint now,
                                     Columns columns = Columns::kTell) const;

 private:
  TableReply(View view, TableFormat format, IncludeObject include)
      : view_(std::move(view)), format_(std::move(format)), include_(include) {}
  [[nodiscard]] boost::json::object Row(const StoredObject& object, TimePoint now) const;

  View view_;
  TableFormat format_;
  IncludeObject include_;
};

}  // namespace gs::localcluster
