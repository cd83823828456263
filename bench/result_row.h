// One figure for the table of `make bench`, added to the file that GS_BENCH_RESULTS names; without
// it nothing is kept. See bench/results_file.py, which does the same for scripts.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace gs::bench {

// `values`: what was seen of each side; `more`: ratio, aim, whatever explains it.
void AddResult(const std::string& part, const std::string& name, const std::string& unit,
               boost::json::object values, const boost::json::object& more = {});

}  // namespace gs::bench
