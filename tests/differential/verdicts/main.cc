// gs-filter-verdicts: what the scheduler says of every node, case after case: one snapshot per line
// on stdin, one answer per line on stdout. The other half, kube-scheduler's, is
// tools/cluster/wrappers/k8s/filter-verdicts.
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

boost::json::object AnswerTo(const std::string& line,
                             const std::vector<gs::differential::SwitchOff>& off) {
  auto snapshot = gs::differential::ReadSnapshot(line);
  if (!snapshot) return {{"error", gs::ToString(snapshot.error())}};
  for (const auto rule : off) rule(*snapshot);
  return Answer(gs::differential::VerdictsOn(*snapshot));
}

}  // namespace

// The words are the rules that it shall ignore.
int main(int argc, char** argv) {
  std::vector<gs::differential::SwitchOff> off;
  for (int i = 1; i < argc; ++i) {
    const auto rule = gs::differential::FindRule(argv[i]);
    if (!rule) return Refuse(rule.error());
    off.push_back(*rule);
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << boost::json::serialize(AnswerTo(line, off)) << "\n";
  }
  return 0;
}
