// The rules that make the Lease a fence, as switches, so that a test can show that each of them is
// needed. Nobody but a test turns one off. The names are those of docs/commit.md; core/commit has
// the others.
#pragma once

namespace gs::kube {

struct FenceRules {
  bool cas = true;         // a write holds only for the version that was read
  bool see_others = true;  // nothing is listed that clashes with what another release lists
  bool unsettled = true;   // a fence that was made anew says so, and nothing is listed meanwhile
  bool unchanged = true;   // entries of others are taken off only while their record is silent
  bool merged = true;      // who removes a record keeps what it has settled

  friend bool operator==(const FenceRules&, const FenceRules&) = default;
};

}  // namespace gs::kube
