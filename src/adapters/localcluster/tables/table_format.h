// TableFormat: how `kubectl get` shows objects of a kind: the columns, and the cells of an object.
// Built-in kinds have the columns of an API server, custom resources those of their definition.
// All columns are given; those with a priority are shown by -o wide only, which is kubectl's
// choice.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gs::localcluster {

struct TableColumn {
  std::string_view name;
  std::string_view type = "string";
  int priority = 0;
};

// What comes with each row: nothing, the metadata, or all of the object.
enum class IncludeObject : std::uint8_t { kNone, kMetadata, kObject };

// "None", "Metadata" or "Object"; "" is Metadata.
[[nodiscard]] Result<IncludeObject> ParseIncludeObject(std::string_view text);

class TableFormat {
 public:
  [[nodiscard]] static TableFormat OfBuiltIn(std::string_view kind);
  // additionalPrinterColumns of a version; null if it has none, which shows the age.
  [[nodiscard]] static Result<TableFormat> OfCustom(const boost::json::value* columns);

  // columnDefinitions of a Table.
  [[nodiscard]] boost::json::array Columns() const;
  // One of its rows.
  [[nodiscard]] boost::json::object Row(const boost::json::object& object, IncludeObject include,
                                        TimePoint now) const;

 private:
  struct Column {
    std::string name;
    std::string type;
    std::string format;
    std::string description;
    int priority = 0;
  };
  using Cells = std::function<boost::json::array(const boost::json::object&, TimePoint)>;

  std::vector<Column> columns_;
  Cells cells_;
};

// A whole Table. `list_metadata` is that of the list: resourceVersion, continue,
// remainingItemCount.
[[nodiscard]] boost::json::object MakeTable(const TableFormat& format,
                                            boost::json::object list_metadata,
                                            boost::json::array rows);

}  // namespace gs::localcluster
