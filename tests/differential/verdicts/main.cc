// gs-filter-verdicts: what the scheduler says of every node, case after case: one snapshot per line
// on stdin, one answer per line on stdout. The other half, kube-scheduler's, is
// tools/cluster/wrappers/tools/filter-verdicts.
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/verdicts/rules_off.h"
#include "tests/differential/verdicts/snapshot.h"
#include "tests/differential/verdicts/verdicts.h"

namespace {

constexpr int kExitBadInput = 2;

int Refuse(const gs::Error& error) {
  std::cerr << "gs-filter-verdicts: " << error << "\n";
  return kExitBadInput;
}

boost::json::object Answer(const gs::differential::Verdicts& verdicts) {
  boost::json::object nodes;
  for (const auto& [node, reason] : verdicts) {
    nodes[node.text()] = reason ? ToString(*reason) : "";
  }
  return {{"nodes", std::move(nodes)}};
}

bool SayTheSame(const gs::differential::Verdicts& a, const gs::differential::Verdicts& b) {
  const auto agree = [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.has_value() == other.second.has_value();
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), agree);
}

class Answers {
 public:
  explicit Answers(std::vector<gs::differential::SwitchOff> off) : off_(std::move(off)) {}

  boost::json::object To(const std::string& line) {
    auto snapshot = gs::differential::ReadSnapshot(line);
    if (!snapshot) return {{"error", gs::ToString(snapshot.error())}};
    for (const auto rule : off_) rule(*snapshot);
    const auto verdicts = gs::differential::VerdictsOn(*snapshot);
    const auto later = cache_.VerdictsOn(*snapshot);
    if (SayTheSame(verdicts, later)) return Answer(verdicts);
    return {{"error", "a cache that has seen other clusters before says otherwise"},
            {"alone", Answer(verdicts)},
            {"later", Answer(later)}};
  }

 private:
  std::vector<gs::differential::SwitchOff> off_;
  gs::differential::LongLivedCache cache_{gs::SchedulerName("gpu-scheduler")};
};

}  // namespace

// The words are the rules that it shall ignore.
int main(int argc, char** argv) {
  std::vector<gs::differential::SwitchOff> off;
  for (int i = 1; i < argc; ++i) {
    const auto rule = gs::differential::FindRule(argv[i]);
    if (!rule) return Refuse(rule.error());
    off.push_back(*rule);
  }
  Answers answers(std::move(off));
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << boost::json::serialize(answers.To(line)) << "\n";
  }
  return 0;
}
