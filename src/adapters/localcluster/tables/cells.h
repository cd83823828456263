// The cells of one row of kubectl's tables, for the built-in kinds. Inside this folder only.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "adapters/localcluster/tables/table_format.h"
#include "base/time.h"

namespace gs::localcluster {

using CellsFunction = boost::json::array (*)(const boost::json::object& object, TimePoint now);

struct BuiltInTable {
  std::string_view kind;
  std::span<const TableColumn> columns;
  CellsFunction cells;
};

// Null for kinds of which only the name and the time of creation are shown.
[[nodiscard]] const BuiltInTable* FindBuiltInTable(std::string_view kind);

[[nodiscard]] boost::json::array PodCells(const boost::json::object& pod, TimePoint now);
[[nodiscard]] boost::json::array NodeCells(const boost::json::object& node, TimePoint now);
[[nodiscard]] boost::json::array DeploymentCells(const boost::json::object& deployment,
                                                 TimePoint now);
[[nodiscard]] boost::json::array StatefulSetCells(const boost::json::object& set, TimePoint now);
[[nodiscard]] boost::json::array DaemonSetCells(const boost::json::object& set, TimePoint now);
[[nodiscard]] boost::json::array ReplicaSetCells(const boost::json::object& set, TimePoint now);
[[nodiscard]] boost::json::array JobCells(const boost::json::object& job, TimePoint now);

// "2m", from metadata.creationTimestamp.
[[nodiscard]] std::string AgeOf(const boost::json::object& object, TimePoint now);
[[nodiscard]] std::string TextOr(std::string_view text, std::string_view fallback);
[[nodiscard]] std::string NameOf(const boost::json::object& object);
// "1/3"
[[nodiscard]] std::string Fraction(std::int64_t part, std::int64_t whole);
// The same field of every element: "a,b".
[[nodiscard]] std::string Joined(const boost::json::array& items, std::string_view field,
                                 std::string_view separator = ",");
// "a=1,b=2", or "<none>"
[[nodiscard]] std::string PrintLabels(const boost::json::object& object,
                                      std::initializer_list<std::string_view> path);
// That of a workload.
[[nodiscard]] std::string PrintSelector(const boost::json::object& workload,
                                        std::string_view if_empty);
// Whether the condition is there, and true.
[[nodiscard]] bool HasCondition(const boost::json::object& object, std::string_view type);

}  // namespace gs::localcluster
