// What recordings of format 1 have and this version no longer knows: they come from a time when
// releases looked for each other and every GPU had a lock. It is left out when they are read; run
// again, such a recording shows what this version would have commanded.
#pragma once

#include <boost/json/value.hpp>

namespace gs::recording {

// Of the options in the first line.
void LeaveOutRetiredOptions(boost::json::value& options);
// Of a run.
void LeaveOutRetired(boost::json::value& run);

}  // namespace gs::recording
