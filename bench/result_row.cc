#include "bench/result_row.h"

#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace gs::bench {

void AddResult(const std::string& part, const std::string& name, const std::string& unit,
               boost::json::object values, const boost::json::object& more) {
  const char* path = std::getenv("GS_BENCH_RESULTS");  // NOLINT: no other thread runs
  if (path == nullptr) return;
  boost::json::object row{
      {"part", part}, {"name", name}, {"unit", unit}, {"values", std::move(values)}};
  for (const auto& entry : more) row[entry.key()] = entry.value();
  std::ofstream(path, std::ios::app) << boost::json::serialize(row) << "\n";
}

}  // namespace gs::bench
