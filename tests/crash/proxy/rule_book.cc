#include "tests/crash/proxy/rule_book.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "adapters/json/object_reader.h"
#include "tests/crash/proxy/fault_json.h"

namespace gs::crash {
namespace {

using runtime::MutexLock;

constexpr IntegerRange kCounts{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};

bool Matches(const Rule& rule, const http::Request& request) {
  if (rule.method && *rule.method != request.method) return false;
  if (!boost::regex_search(request.target, rule.target)) return false;
  return !rule.body || boost::regex_search(request.body, *rule.body);
}

std::string AgentOf(const http::Request& request) {
  const std::string* agent = request.headers.Find("User-Agent");
  return agent == nullptr ? "" : *agent;
}

boost::regex PatternIn(json::ObjectReader& reader, std::string_view field) {
  auto pattern = ReadPattern(reader.Text(field));
  if (pattern) return *std::move(pattern);
  reader.Fail(field, pattern.error().message());
  return boost::regex();
}

std::optional<http::Method> MethodIn(json::ObjectReader& reader) {
  const std::string name = reader.Text("method");
  if (name.empty()) return std::nullopt;
  auto method = http::ParseMethod(name);
  if (!method) reader.Fail("method", "no method is called " + json::Quoted(name));
  return method;
}

testing::Fault FaultIn(json::ObjectReader& reader, std::optional<Error>& problem) {
  const auto* written = reader.Raw("fault");
  if (written == nullptr) {
    reader.Fail("fault", "is missing");
    return testing::Pass{};
  }
  auto fault = ReadFault(*written, "fault");
  if (fault) return *std::move(fault);
  problem = std::move(fault).error();
  return testing::Pass{};
}

}  // namespace

Result<boost::regex> ReadPattern(const std::string& text) {
  try {
    return boost::regex(text);
  } catch (const std::exception& problem) {
    return Error(ErrorKind::kInvalid, "no regular expression: " + std::string(problem.what()));
  }
}

Result<Rule> ReadRule(const boost::json::value& value) {
  json::ObjectReader reader(value, "");
  Rule rule;
  std::optional<Error> problem;
  rule.id = reader.RequiredText("id");
  rule.method = MethodIn(reader);
  rule.target = PatternIn(reader, "target");
  if (reader.Raw("body") != nullptr) rule.body = PatternIn(reader, "body");
  rule.skip = reader.Int("skip", kCounts, 0);
  rule.times = reader.Int("times", kCounts, 1);
  rule.fault = FaultIn(reader, problem);
  if (rule.id.find_first_of("/?&% ") != std::string::npos) {
    reader.Fail("id", "has to fit into a path");
  }
  if (auto fine = reader.Finish(); !fine) return std::move(fine).error();
  if (problem) return *std::move(problem);
  return rule;
}

void RuleBook::Add(Rule rule) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.rule.id == rule.id; });
  entries_.push_back({.rule = std::move(rule)});
}

bool RuleBook::Remove(const std::string& id) {
  const MutexLock lock(mutex_);
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.rule.id == id; }) > 0;
}

void RuleBook::RemoveAll() {
  const MutexLock lock(mutex_);
  entries_.clear();
}

std::optional<std::int64_t> RuleBook::HitsOf(const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& each) { return each.rule.id == id; });
  return entry == entries_.end() ? std::nullopt : std::optional(entry->hits);
}

RuleBook::Entry* RuleBook::FindFor(const http::Request& request) {
  for (Entry& entry : entries_) {
    const bool is_used_up = entry.rule.times > 0 && entry.hits >= entry.rule.times;
    if (is_used_up || !Matches(entry.rule, request)) continue;
    if (entry.skipped >= entry.rule.skip) return &entry;
    ++entry.skipped;
  }
  return nullptr;
}

testing::Fault RuleBook::Meet(const http::Request& request, TimePoint now) {
  const MutexLock lock(mutex_);
  meetings_.push_back({.agent = AgentOf(request), .rule = std::nullopt, .time = now});
  Entry* entry = FindFor(request);
  if (entry == nullptr) return testing::Pass{};
  ++entry->hits;
  meetings_.back().rule = entry->rule.id;
  return entry->rule.fault;
}

Meeting RuleBook::MeetingOf(std::size_t number) const {
  const MutexLock lock(mutex_);
  return number < meetings_.size() ? meetings_[number] : Meeting{};
}

std::vector<Meeting> RuleBook::meetings(std::size_t since) const {
  const MutexLock lock(mutex_);
  const auto first = static_cast<std::ptrdiff_t>(std::min(since, meetings_.size()));
  return {meetings_.begin() + first, meetings_.end()};
}

}  // namespace gs::crash
