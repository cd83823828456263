// The rules the promise rests on, as switches, so that a test can show that each of them is needed.
// Nobody but a test turns one off. The names are those of docs/commit.md.
#pragma once

namespace gs::commit {

struct Rules {
  bool listed = true;   // a pod is in the fence before a Binding is sent for it
  bool rvpre = true;    // a Binding holds only for the version that was noted
  bool touch = true;    // an unresolved Binding is outdated by a write, not looked up
  bool settled = true;  // an entry stays until its pod is seen, and leaves that version behind
  bool fresh = true;    // decisions rest on a view that has come to all those versions
  bool look_again =
      true;            // where it comes to them later, they are given up if that is in their way
  bool resume = true;  // what the predecessor listed stays listed until it is resolved
  // Where the fence was made anew, every pod that could be in it is touched.
  bool touch_all = true;
  bool touch_late = true;    // likewise those that come into view until the view is new enough
  bool mark_settled = true;  // whoever has done so leaves the version behind that its view shows
  bool dead_touch = true;    // what a silent release lists is touched before it is taken off
  bool dead_settled = true;  // and the version of that touch is left behind
  bool uid = true;           // a pod is known by its UID, and not by its name

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace gs::commit
