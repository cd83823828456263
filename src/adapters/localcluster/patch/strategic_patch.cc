#include "adapters/localcluster/patch/strategic_patch.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/localcluster/patch/list_order.h"
#include "adapters/localcluster/patch/patch_schema.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList";
constexpr std::string_view kOrderPrefix = "$setElementOrder";

Error BadFormat(std::string_view of) {
  return {ErrorKind::kInvalid, "invalid patch format of " + std::string(of)};
}

// The server has no better answer to these than 500.
Error Unexpected(std::string message) { return {ErrorKind::kInternal, std::move(message)}; }

Error NoMergeKey(const value& item, std::string_view key) {
  return Unexpected("map: " + boost::json::serialize(item) +
                    " does not contain declared merge key: " + std::string(key));
}

std::string_view GoTypeOf(const value& found) {
  switch (found.kind()) {
    case boost::json::kind::object: return "map[string]interface {}";
    case boost::json::kind::array: return "[]interface {}";
    case boost::json::kind::string: return "string";
    case boost::json::kind::bool_: return "bool";
    case boost::json::kind::null: return "%!s(<nil>)";
    case boost::json::kind::double_: return "float64";
    default: return "int64";
  }
}

Error WrongType(std::string_view expected, const value& found) {
  return Unexpected("expected a " + std::string(expected) + ", but received a " +
                    std::string(GoTypeOf(found)));
}

bool IsDirective(std::string_view key) {
  return key == kRetainKeys || key.starts_with(kDeletePrefix) || key.starts_with(kOrderPrefix);
}

bool HasDirective(const value& item) {
  const auto* members = item.if_object();
  return members != nullptr && members->contains(kDirective);
}

// What a value that nothing in the document corresponds to adds to it: no nulls, no directives.
// Nothing at all if it is a directive itself.
std::optional<value> WithoutDirectives(const value& added) {
  if (HasDirective(added)) return std::nullopt;
  if (const auto* members = added.if_object()) {
    object kept;
    for (const auto& [key, member] : *members) {
      if (member.is_null() || IsDirective(key)) continue;
      if (auto stays = WithoutDirectives(member)) kept[key] = *std::move(stays);
    }
    return value(std::move(kept));
  }
  if (const auto* items = added.if_array()) {
    array kept;
    for (const auto& item : *items) {
      if (auto stays = WithoutDirectives(item)) kept.push_back(*std::move(stays));
    }
    return value(std::move(kept));
  }
  return added;
}

// What is taken from a patch as it is, seen as the server's types see it: null is absence, and
// directives are no fields.
value AsField(const value& taken) {
  if (const auto* members = taken.if_object()) {
    object kept;
    for (const auto& [key, member] : *members) {
      if (!member.is_null() && key != kDirective && !IsDirective(key)) kept[key] = AsField(member);
    }
    return kept;
  }
  if (const auto* items = taken.if_array()) {
    array kept;
    for (const auto& item : *items) kept.push_back(AsField(item));
    return kept;
  }
  return taken;
}

void SetOrErase(object& document, std::string_view key, const value& added) {
  if (auto stays = WithoutDirectives(added)) {
    document[key] = *std::move(stays);
  } else {
    document.stable_erase(key);
  }
}

// The field a directive such as "$setElementOrder/env" is about.
Result<std::string> FieldOf(std::string_view key, std::string_view prefix, std::string_view name) {
  if (key.size() <= prefix.size() || key[prefix.size()] != '/') return BadFormat(name);
  return std::string(key.substr(prefix.size() + 1));
}

// All elements of merged lists are objects, or none is, and there are no lists of lists.
Result<bool> HoldObjects(const array& live, const array& patch) {
  const value* first = nullptr;
  for (const auto* items : {&live, &patch}) {
    for (const auto& item : *items) {
      if (item.is_array()) {
        return Error(ErrorKind::kConflict, "lists of lists are not supported");
      }
      if (item.is_null()) return Unexpected("a list element is null");
      if (first == nullptr) first = &item;
      if (GoTypeOf(*first) != GoTypeOf(item)) {
        return Unexpected("list element types are not identical: " +
                          boost::json::serialize(array{live, patch}));
      }
    }
  }
  if (first == nullptr) return Unexpected("no elements in any of the given slices");
  return first->is_object();
}

Result<void> CheckKeys(const array& items, std::string_view merge_key) {
  for (const auto& item : items) {
    if (!merge_key.empty() && !item.is_object()) {
      return WrongType("map[string]interface {}", item);
    }
    if (IdentityOf(item, merge_key) == nullptr) return NoMergeKey(item, merge_key);
  }
  return {};
}

array WithoutThose(const array& items, const array& unwanted) {
  array kept;
  for (const auto& item : items) {
    if (IndexOfSame(unwanted, item, "") == unwanted.size()) kept.push_back(item);
  }
  return kept;
}

array United(const array& items, const array& more) {
  array all;
  for (const auto* list : {&items, &more}) {
    for (const auto& item : *list) {
      if (IndexOfSame(all, item, "") == all.size()) all.push_back(item);
    }
  }
  return all;
}

class Merger {
 public:
  static Result<value> MergeObject(object document, object patch, const PatchType& type) {
    if (const auto* directive = patch.if_contains(kDirective)) {
      return FollowDirective(*directive, std::move(patch));
    }
    if (auto kept = RetainKeys(document, patch); !kept) return std::move(kept).error();
    if (auto ordered = MergeOrderedLists(document, patch, type); !ordered) {
      return std::move(ordered).error();
    }
    for (const auto& [key, change] : patch) {
      if (auto merged = MergeField(document, key, change, type); !merged) {
        return std::move(merged).error();
      }
    }
    return value(std::move(document));
  }

 private:
  static Result<value> FollowDirective(const value& directive, object patch) {
    if (directive == "replace") return AsField(value(std::move(patch)));
    if (directive == "delete") return value(object());
    const std::string name = directive.is_string() ? std::string(directive.get_string())
                                                   : boost::json::serialize(directive);
    return Unexpected("unknown patch type: " + name +
                      " in map: " + boost::json::serialize(value(std::move(patch))));
  }

  static Result<void> RetainKeys(object& document, object& patch) {
    const auto* found = patch.if_contains(kRetainKeys);
    if (found == nullptr) return {};
    const auto* listed = found->if_array();
    if (listed == nullptr) return BadFormat("retainKeys");
    const array retained = *listed;
    patch.stable_erase(kRetainKeys);
    const auto is_retained = [&](std::string_view key) {
      return IndexOfSame(retained, value(key), "") < retained.size();
    };
    for (const auto& [key, change] : patch) {
      if (!change.is_null() && !IsDirective(key) && !is_retained(key)) {
        return BadFormat("retainKeys");
      }
    }
    object kept;
    for (auto& [key, member] : document) {
      if (is_retained(key)) kept[key] = std::move(member);
    }
    document = std::move(kept);
    return {};
  }

  // Lists with a $setElementOrder; they are taken off the patch, as is the directive.
  static Result<void> MergeOrderedLists(object& document, object& patch, const PatchType& type) {
    const object all = patch;
    for (const auto& [key, order] : all) {
      if (!std::string_view(key).starts_with(kOrderPrefix)) continue;
      patch.stable_erase(key);
      const auto field = FieldOf(key, kOrderPrefix, "setElementOrder list");
      if (!field) return field.error();
      if (!order.is_array()) return WrongType("[]interface {}", order);
      if (auto merged = MergeOrdered(document, patch, *field, order.get_array(), type); !merged) {
        return merged;
      }
    }
    return {};
  }

  static Result<void> MergeOrdered(object& document, object& patch, const std::string& field,
                                   const array& order, const PatchType& type) {
    const auto* live = document.if_contains(field);
    const auto* change = patch.if_contains(field);
    for (const auto* list : {live, change}) {
      if (list != nullptr && !list->is_array()) return WrongType("[]interface {}", *list);
    }
    const array live_items = live == nullptr ? array() : live->get_array();
    const array changes = change == nullptr ? array() : change->get_array();
    const FieldRules rules = RulesOf(type, field);
    if (auto checked = CheckOrder(changes, order, rules.merge_key); !checked) return checked;
    if (live == nullptr && change == nullptr) return {};

    array merged = live_items;
    if (live == nullptr) {
      merged = WithoutDirectives(changes)->get_array();
    } else if (change != nullptr) {
      auto outcome = MergeList(live_items, changes, rules);
      if (!outcome) return std::move(outcome).error();
      merged = *std::move(outcome);
    }
    if (auto known = HoldObjects(live_items, changes); !known) return known.error();
    for (const auto* list : {&std::as_const(merged), &order, &live_items}) {
      if (auto checked = CheckKeys(*list, rules.merge_key); !checked) return checked;
    }
    const array places = PlacesAfterDeletions(live_items, merged, changes, rules.merge_key);
    document[field] = InPatchOrder(merged, order, places, rules.merge_key);
    patch.stable_erase(field);
    return {};
  }

  // A quirk of the server that users see when they rename a container: elements that are new move
  // into the places that deleted ones leave, and count as having been there.
  static array PlacesAfterDeletions(const array& live, const array& merged, const array& changes,
                                    std::string_view merge_key) {
    array places;
    const auto is_in = [&](const array& items, const value& item) {
      const auto* identity = IdentityOf(item, merge_key);
      return identity != nullptr && IndexOfSame(items, *identity, merge_key) < items.size();
    };
    for (const auto& item : live) {
      if (is_in(merged, item)) places.push_back(item);
    }
    if (merge_key.empty()) return places;
    for (const auto& change : changes) {
      if (places.size() == live.size()) break;
      if (is_in(merged, change) && !is_in(live, change)) places.push_back(change);
    }
    return places;
  }

  // What the patch lists must be in the order, and in that order.
  static Result<void> CheckOrder(const array& changes, const array& order,
                                 std::string_view merge_key) {
    if (changes.empty() || order.empty()) return {};
    std::size_t place = 0;
    for (const auto& change : changes) {
      if (!merge_key.empty() && !change.is_object()) {
        return WrongType("map[string]interface {}", change);
      }
      if (HasDirective(change)) {
        // A quirk of the server: behind the last ordered element only deletions may follow.
        if (place == order.size() && change.get_object().at(kDirective) != "delete") {
          return OutOfOrder(changes, order);
        }
        continue;
      }
      const auto* identity = IdentityOf(change, merge_key);
      if (identity == nullptr) return NoMergeKey(change, merge_key);
      while (place < order.size()) {
        const auto* ordered = IdentityOf(order[place], merge_key);
        if (ordered == nullptr) return NoMergeKey(order[place], merge_key);
        if (*ordered == *identity) break;
        ++place;
      }
      if (place == order.size()) return OutOfOrder(changes, order);
      ++place;
    }
    return {};
  }

  static Error OutOfOrder(const array& changes, const array& order) {
    return Unexpected("The order in patch list:\n" + boost::json::serialize(changes) +
                      "\n doesn't match " + std::string(kOrderPrefix) + " list:\n" +
                      boost::json::serialize(order) + "\n");
  }

  struct FieldRules {
    PatchStrategy strategy = PatchStrategy::kDefault;
    std::string_view merge_key;
    const PatchType* type = &kPlainObject;
  };

  static FieldRules RulesOf(const PatchType& type, std::string_view name) {
    const auto* field = type.Find(name);
    if (field == nullptr) return {};
    return {.strategy = field->strategy, .merge_key = field->merge_key, .type = field->type};
  }

  static Result<void> MergeField(object& document, std::string_view key, const value& change,
                                 const PatchType& type) {
    if (key.starts_with(kDeletePrefix)) return DeleteWords(document, key, change);
    auto* old = document.if_contains(key);
    if (change.is_null()) {
      document.stable_erase(key);
    } else if (old != nullptr && old->is_object() && change.is_object()) {
      return MergeInto(*old, change.get_object(), RulesOf(type, key));
    } else if (old != nullptr && old->is_array() && change.is_array()) {
      return MergeListInto(*old, change.get_array(), RulesOf(type, key));
    } else {
      SetOrErase(document, key, change);
    }
    return {};
  }

  static Result<void> MergeInto(value& old, const object& change, const FieldRules& rules) {
    if (rules.strategy == PatchStrategy::kReplace) {
      old = AsField(value(change));
      return {};
    }
    auto merged = MergeObject(std::move(old.get_object()), change, *rules.type);
    if (!merged) return std::move(merged).error();
    old = *std::move(merged);
    return {};
  }

  static Result<void> MergeListInto(value& old, const array& changes, const FieldRules& rules) {
    auto merged = MergeList(old.get_array(), changes, rules);
    if (!merged) return std::move(merged).error();
    old = *std::move(merged);
    return {};
  }

  static Result<void> DeleteWords(object& document, std::string_view key, const value& unwanted) {
    const auto field = FieldOf(key, kDeletePrefix, "primitive list");
    if (!field) return field.error();
    auto* old = document.if_contains(*field);
    if (unwanted.is_null()) {
      document.stable_erase(*field);
    } else if (old != nullptr && old->is_array() && unwanted.is_array()) {
      auto& items = old->get_array();
      if (items.empty() && unwanted.get_array().empty()) return {};
      const auto objects = HoldObjects(items, unwanted.get_array());
      if (!objects) return objects.error();
      if (*objects) return Unexpected("cannot merge lists without merge key for struct");
      items = WithoutThose(items, unwanted.get_array());
    }
    return {};
  }

  static Result<array> MergeList(const array& live, const array& changes, const FieldRules& rules) {
    if (rules.strategy != PatchStrategy::kMerge) return AsField(value(changes)).get_array();
    if (live.empty() && changes.empty()) return live;
    const auto objects = HoldObjects(live, changes);
    if (!objects) return objects.error();
    if (!*objects) return InPatchOrder(United(live, changes), changes, live, "");
    if (rules.merge_key.empty()) {
      return Unexpected("cannot merge lists without merge key for struct");
    }
    return MergeObjects(live, changes, rules);
  }

  static Result<array> MergeObjects(array live, const array& changes, const FieldRules& rules) {
    array merges;
    bool is_replaced = false;
    for (const auto& change : changes) {
      const auto* directive = change.get_object().if_contains(kDirective);
      if (directive == nullptr) {
        merges.push_back(change);
      } else if (*directive == "replace") {
        is_replaced = true;
      } else if (auto deleted = FollowInList(live, change, rules.merge_key); !deleted) {
        return std::move(deleted).error();
      }
    }
    if (is_replaced) return AsField(value(merges)).get_array();
    if (auto checked = CheckKeys(merges, rules.merge_key); !checked) {
      return std::move(checked).error();
    }
    return MergeByKey(live, merges, rules);
  }

  // {"$patch": "delete", "name": "x"}
  static Result<void> FollowInList(array& live, const value& change, std::string_view merge_key) {
    const auto& directive = change.get_object().at(kDirective);
    if (directive == "merge")
      return Unexpected("merging lists cannot yet be specified in the patch");
    if (directive != "delete") {
      const std::string name = directive.is_string() ? std::string(directive.get_string())
                                                     : boost::json::serialize(directive);
      return Unexpected("unknown patch type: " + name +
                        " in map: " + boost::json::serialize(change));
    }
    const auto* identity = IdentityOf(change, merge_key);
    if (identity == nullptr) return NoMergeKey(change, merge_key);
    for (auto place = IndexOfSame(live, *identity, merge_key); place < live.size();
         place = IndexOfSame(live, *identity, merge_key)) {
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return {};
  }

  static Result<array> MergeByKey(const array& live, const array& merges, const FieldRules& rules) {
    array merged = live;
    for (const auto& change : merges) {
      const auto place = IndexOfSame(merged, *IdentityOf(change, rules.merge_key), rules.merge_key);
      if (place == merged.size()) {
        merged.push_back(AsField(change));
        continue;
      }
      auto outcome =
          MergeObject(std::move(merged[place].get_object()), change.get_object(), *rules.type);
      if (!outcome) return std::move(outcome).error();
      merged[place] = *std::move(outcome);
    }
    for (const auto* list : {&std::as_const(merged), &live}) {
      if (auto checked = CheckKeys(*list, rules.merge_key); !checked) {
        return std::move(checked).error();
      }
    }
    return InPatchOrder(merged, merges, live, rules.merge_key);
  }
};

}  // namespace

Result<value> ApplyStrategicMergePatch(value document, const value& patch, const PatchType& type) {
  if (!document.is_object() || !patch.is_object()) {
    return Error(ErrorKind::kInvalid, "invalid JSON document");
  }
  return Merger::MergeObject(std::move(document.get_object()), patch.get_object(), type);
}

}  // namespace gs::localcluster
