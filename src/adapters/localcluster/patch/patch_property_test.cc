// Laws of patches on generated documents; RC_PARAMS sets the number of cases and the seed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <string>

#include "adapters/localcluster/patch/json_patch.h"
#include "adapters/localcluster/patch/merge_patch.h"
#include "adapters/localcluster/patch/patch_schema.h"
#include "adapters/localcluster/patch/strategic_patch.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "max_success=2000", 0);

int Below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }

enum class Nulls { kNone, kSome };

// Few names, so that documents and patches meet.
value AnyTree(int depth, Nulls nulls);

object AnyObject(int depth, Nulls nulls) {
  object members;
  for (int i = Below(4); i > 0; --i) {
    members[std::string(1, static_cast<char>('a' + Below(4)))] = AnyTree(depth - 1, nulls);
  }
  return members;
}

value AnyTree(int depth, Nulls nulls) {
  const int shape = Below(depth > 0 ? 6 : 3);
  if (shape == 0 && nulls == Nulls::kSome) return nullptr;
  if (shape <= 1) return Below(5);
  if (shape == 2) return "text";
  if (shape == 3) return array{AnyTree(depth - 1, Nulls::kNone), Below(3)};
  return AnyObject(depth, nulls);
}

// The merge patch that turns one object into the other.
object MergeDiff(const object& from, const object& to) {
  object patch;
  for (const auto& [key, old] : from) {
    if (!to.contains(key)) patch[key] = nullptr;
  }
  for (const auto& [key, wanted] : to) {
    const auto* old = from.if_contains(key);
    if (old != nullptr && *old == wanted) continue;
    const bool both = old != nullptr && old->is_object() && wanted.is_object();
    patch[key] = both ? value(MergeDiff(old->get_object(), wanted.get_object())) : wanted;
  }
  return patch;
}

// The JSON patch that turns one object into the other, with a test in front of each change.
void AddSteps(const object& from, const object& to, const std::string& path, array& steps) {
  for (const auto& [key, old] : from) {
    const std::string place = path + "/" + std::string(key);
    const auto* wanted = to.if_contains(key);
    if (wanted != nullptr && *wanted == old) continue;
    steps.push_back(object{{"op", "test"}, {"path", place}, {"value", old}});
    if (wanted == nullptr) {
      steps.push_back(object{{"op", "remove"}, {"path", place}});
    } else if (old.is_object() && wanted->is_object()) {
      AddSteps(old.get_object(), wanted->get_object(), place, steps);
    } else {
      steps.push_back(object{{"op", "replace"}, {"path", place}, {"value", *wanted}});
    }
  }
  for (const auto& [key, wanted] : to) {
    if (from.contains(key)) continue;
    steps.push_back(
        object{{"op", "add"}, {"path", path + "/" + std::string(key)}, {"value", wanted}});
  }
}

RC_GTEST_PROP(MergePatch, OfADifferenceGivesTheOther, ()) {
  const object from = AnyObject(4, Nulls::kNone);
  const object to = AnyObject(4, Nulls::kNone);
  RC_ASSERT(ApplyMergePatch(from, MergeDiff(from, to)).value() == value(to));
}

RC_GTEST_PROP(MergePatch, TwiceIsOnce, ()) {
  const object patch = AnyObject(4, Nulls::kSome);
  const auto once = ApplyMergePatch(AnyObject(4, Nulls::kNone), patch).value();
  RC_ASSERT(ApplyMergePatch(once, patch).value() == once);
}

RC_GTEST_PROP(JsonPatch, OfADifferenceGivesTheOther, ()) {
  const object from = AnyObject(4, Nulls::kSome);
  const object to = AnyObject(4, Nulls::kSome);
  array steps;
  AddSteps(from, to, "", steps);
  RC_ASSERT(ApplyJsonPatch(from, steps).value() == value(to));
}

RC_GTEST_PROP(StrategicPatch, WithoutMergedListsIsAMergePatch, ()) {
  const object from = AnyObject(4, Nulls::kNone);
  const object patch = AnyObject(4, Nulls::kSome);
  RC_ASSERT(ApplyStrategicMergePatch(from, patch, kPlainObject).value() ==
            ApplyMergePatch(from, patch).value());
}

}  // namespace
}  // namespace gs::localcluster
