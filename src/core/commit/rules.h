// The rules the promise rests on, as switches, so that a test can show that each of them is needed.
// Nobody but a test turns one off. The names are those of docs/commit.md.
#pragma once

namespace gs::commit {

struct Rules {
  bool listed = true;     // a pod is in the fence before a Binding is sent for it
  bool rvpre = true;      // a Binding holds only for the version that was noted
  bool touch = true;      // an unresolved Binding is outdated by a write, not looked up
  bool settled = true;    // an entry stays until its pod is seen, and leaves that version behind
  bool fresh = true;      // decisions rest on a view that has come to all those versions
  bool resume = true;     // what the predecessor listed stays listed until it is resolved
  bool touch_all = true;  // where the fence was made anew, every pod that could be in it is touched
  bool touch_late = true;  // likewise those that come into view until the view is new enough
  bool dead_touch = true;  // what a silent release lists is touched before it is taken off

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace gs::commit
