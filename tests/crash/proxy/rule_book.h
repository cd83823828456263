// RuleBook: which request meets which fault. Rules are tried in the order they were made; the first
// that matches and is not used up applies. It also remembers who asked what, and by which rule it
// was met.
//
// From any thread.
#pragma once

#include <boost/json/value.hpp>
#include <boost/regex.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/runtime/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "tests/support/faults/fault.h"

namespace gs::crash {

struct Rule {
  std::string id;
  std::optional<http::Method> method;  // none: any
  boost::regex target;                 // searched in path and query
  std::optional<boost::regex> body;    // searched in the body
  std::int64_t skip = 0;               // matches that pass before the rule begins
  std::int64_t times = 1;              // then so many; 0: for ever
  testing::Fault fault;
};

// {"id": "x", "method": "POST", "target": "/binding", "fault": {"kind": "drop_after"}}
[[nodiscard]] Result<Rule> ReadRule(const boost::json::value& value);
[[nodiscard]] Result<boost::regex> ReadPattern(const std::string& text);

// What a record of requests cannot know.
struct Meeting {
  std::string agent;                // User-Agent
  std::optional<std::string> rule;  // that was applied
  TimePoint time;
};

class RuleBook {
 public:
  // In place of a rule with that name, but at the end of the order.
  void Add(Rule rule) GS_EXCLUDES(mutex_);
  // False if there is none of that name.
  [[nodiscard]] bool Remove(const std::string& id) GS_EXCLUDES(mutex_);
  void RemoveAll() GS_EXCLUDES(mutex_);
  // How often it was applied; none if there is no such rule.
  [[nodiscard]] std::optional<std::int64_t> HitsOf(const std::string& id) const GS_EXCLUDES(mutex_);

  // Requires: called once per request, in the order of their numbers.
  [[nodiscard]] testing::Fault Meet(const http::Request& request, TimePoint now)
      GS_EXCLUDES(mutex_);
  [[nodiscard]] Meeting MeetingOf(std::size_t number) const GS_EXCLUDES(mutex_);
  // From a number on.
  [[nodiscard]] std::vector<Meeting> meetings(std::size_t since) const GS_EXCLUDES(mutex_);

 private:
  struct Entry {
    Rule rule;
    std::int64_t skipped = 0;
    std::int64_t hits = 0;
  };

  [[nodiscard]] Entry* FindFor(const http::Request& request) GS_REQUIRES(mutex_);

  mutable runtime::Mutex mutex_;
  std::vector<Entry> entries_ GS_GUARDED_BY(mutex_);
  std::vector<Meeting> meetings_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::crash
