// The rules the promise rests on, as switches, so that a test can show that each of them is needed.
// Nobody but a test turns one off.
#pragma once

namespace gs::commit {

struct Rules {
  bool listed = true;      // a pod is on the list before anything is written for it
  bool rvpre = true;       // a Binding holds only for the version that was noted
  bool touch = true;       // an unresolved Binding is outdated by a write, not looked up
  bool touch_all = true;   // without a readable list, every pod that could be on it is touched
  bool touch_late = true;  // likewise those that come into view after the takeover, until it is new
  bool touch_seen = true;  // a touch is over only when its version is in view
  bool list_kept = true;   // what the predecessor listed stays listed until all of it is resolved
  bool fresh = true;       // a new leader decides only on a view that is newer than its takeover

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace gs::commit
