#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cmath>

#include "adapters/localcluster/schema/field_fault.h"
#include "adapters/localcluster/schema/schema_node.h"
#include "base/text.h"
#include "base/time.h"

namespace gs::localcluster {
namespace {

using boost::json::value;
using Faults = std::vector<StatusCause>;

std::string Below(const std::string& path, std::string_view field) {
  return path.empty() ? std::string(field) : path + "." + std::string(field);
}

std::string ItemOf(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string InBody(const std::string& path, const std::string& sentence) {
  return (path.empty() ? std::string() : path + " ") + "in body " + sentence;
}

bool IsWhole(const value& number) {
  return number.is_int64() || number.is_uint64() ||
         (number.is_double() && std::floor(number.get_double()) == number.get_double());
}

double AsDouble(const value& number) {
  if (number.is_double()) return number.get_double();
  return number.is_int64() ? static_cast<double>(number.get_int64())
                           : static_cast<double>(number.get_uint64());
}

std::string_view TypeOf(const value& found) {
  switch (found.kind()) {
    case boost::json::kind::object: return "object";
    case boost::json::kind::array: return "array";
    case boost::json::kind::string: return "string";
    case boost::json::kind::bool_: return "boolean";
    case boost::json::kind::null: return "null";
    case boost::json::kind::double_: return "number";
    default: return "integer";
  }
}

bool HasType(const value& found, const SchemaNode& node) {
  if (found.is_null()) return node.is_nullable;
  if (node.is_int_or_string) return found.is_string() || IsWhole(found);
  if (node.type == "integer") return IsWhole(found);
  if (node.type == "number") return found.is_number();
  return node.type == TypeOf(found);
}

// How the server calls a type that it compares with a format.
std::string_view FormatOf(const value& found) {
  if (found.is_double()) return "float64";
  return found.is_number() ? "int64" : "";
}

void CheckType(const value& found, const SchemaNode& node, const std::string& path,
               Faults& faults) {
  if (node.type.empty() && !node.is_int_or_string) return;
  if (HasType(found, node)) return;
  std::string wanted = node.is_int_or_string ? "integer,string" : node.type;
  std::string got(TypeOf(found));
  if (!node.format.empty() && !found.is_null() && !found.is_string()) {
    // A quirk of the server: a list passes for a text with a format.
    if (found.is_array() && node.type == "string") return;
    if (!found.is_array()) {
      wanted = node.format;
      got = FormatOf(found);
    }
  }
  faults.push_back(
      WrongTypeOfField(path, got, InBody(path, "must be of type " + wanted + ": \"" + got + "\"")));
  if (node.type == "integer" && !node.format.empty() && found.is_double()) {
    faults.push_back(InvalidField(
        "", value(""),
        "Checked value must be of type integer with format " + node.format + " in " + path));
  }
}

// A limit as it is written down for whole numbers.
std::string PrintLimit(double limit, const value& found) {
  constexpr double kExact = 9007199254740992;  // whole numbers up to here lose nothing
  const bool is_whole = std::floor(limit) == limit && std::abs(limit) <= kExact;
  if (found.is_double() || !is_whole) return PrintNumber(limit);
  return std::to_string(static_cast<std::int64_t>(limit));
}

void CheckNumber(const value& found, const SchemaNode& node, const std::string& path,
                 Faults& faults) {
  const double number = AsDouble(found);
  const auto refuse = [&](const std::string& sentence) {
    faults.push_back(InvalidField(path, found, InBody(path, sentence)));
  };
  if (node.multiple_of && std::fmod(number, *node.multiple_of) != 0) {
    refuse("should be a multiple of " + PrintLimit(*node.multiple_of, found));
  }
  if (node.maximum && (node.excludes_maximum ? number >= *node.maximum : number > *node.maximum)) {
    refuse((node.excludes_maximum ? "should be less than " : "should be less than or equal to ") +
           PrintLimit(*node.maximum, found));
  }
  if (node.minimum && (node.excludes_minimum ? number <= *node.minimum : number < *node.minimum)) {
    refuse((node.excludes_minimum ? "should be greater than "
                                  : "should be greater than or equal to ") +
           PrintLimit(*node.minimum, found));
  }
  constexpr double kMaxInt32 = 2147483647;
  if (node.format == "int32" && std::abs(number) > kMaxInt32 && number != -kMaxInt32 - 1) {
    refuse("must be of type int32: \"" + std::string(TypeOf(found)) + "\"");
  }
}

std::int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
  });
}

bool HasFormat(std::string_view text, const std::string& format) {
  if (format == "date-time") return ParseTime(text).ok();
  if (format == "duration") return ParseDuration(text).ok();
  if (format == "date")
    return text.size() == 10 && ParseTime(std::string(text) + "T00:00:00Z").ok();
  return true;
}

void CheckText(const value& found, const SchemaNode& node, const std::string& path,
               Faults& faults) {
  const std::string_view text = found.get_string();
  if (node.max_length && CodePoints(text) > *node.max_length) {
    faults.push_back(TooLongField(path, *node.max_length));
  }
  if (node.min_length && CodePoints(text) < *node.min_length) {
    faults.push_back(InvalidField(
        path, found,
        InBody(path, "should be at least " + std::to_string(*node.min_length) + " chars long")));
  }
  if (node.pattern) {
    const auto matches = node.pattern->IsFoundIn(text);
    if (!matches || !*matches) {
      faults.push_back(
          InvalidField(path, found, InBody(path, "should match '" + node.pattern_text + "'")));
    }
  }
  if (!node.format.empty() && !HasFormat(text, node.format)) {
    faults.push_back(InvalidField(
        path, found,
        InBody(path, "must be of type " + node.format + ": " + boost::json::serialize(found))));
  }
}

bool HasDuplicates(const boost::json::array& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i] == items[j]) return true;
    }
  }
  return false;
}

void CheckArray(const boost::json::array& items, const SchemaNode& node, const std::string& path,
                Faults& faults) {
  if (node.items != nullptr) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      ValidateBySchema(items[i], *node.items, ItemOf(path, i), faults);
    }
  }
  const auto size = static_cast<std::int64_t>(items.size());
  if (node.min_items && size < *node.min_items) {
    faults.push_back(InvalidField(
        path, value(size),
        InBody(path, "should have at least " + std::to_string(*node.min_items) + " items")));
  }
  if (node.max_items && size > *node.max_items) {
    faults.push_back(TooManyInField(path, items.size(), *node.max_items));
  }
  if (node.has_unique_items && HasDuplicates(items)) {
    faults.push_back(
        InvalidField(path, value(items), InBody(path, "shouldn't contain duplicates")));
  }
}

void CheckMembers(const boost::json::object& members, const SchemaNode& node,
                  const std::string& path, Faults& faults) {
  for (const auto& [key, member] : members) {
    const auto* property = node.Property(key);
    const auto* rules = property != nullptr ? property : node.additional.get();
    if (rules != nullptr) {
      ValidateBySchema(member, *rules, Below(path, key), faults);
    } else if (node.forbids_additional) {
      faults.push_back(InvalidField(
          path, "", path + "." + std::string(key) + " in body is a forbidden property"));
    }
  }
}

void CheckObject(const boost::json::object& members, const SchemaNode& node,
                 const std::string& path, Faults& faults) {
  const auto size = static_cast<std::int64_t>(members.size());
  if (node.min_properties && size < *node.min_properties) {
    faults.push_back(InvalidField(
        path, value(size),
        InBody(path,
               "should have at least " + std::to_string(*node.min_properties) + " properties")));
  }
  if (node.max_properties && size > *node.max_properties) {
    faults.push_back(TooManyInField(path, members.size(), *node.max_properties));
  }
  CheckMembers(members, node, path, faults);
  for (const auto& name : node.required) {
    if (!members.contains(name)) faults.push_back(RequiredField(Below(path, name)));
  }
}

bool IsValid(const value& found, const SchemaNode& node, const std::string& path) {
  Faults faults;
  ValidateBySchema(found, node, path, faults);
  return faults.empty();
}

void CheckCombinations(const value& found, const SchemaNode& node, const std::string& path,
                       Faults& faults) {
  const auto valid_of = [&](const auto& nodes) {
    return std::count_if(nodes.begin(), nodes.end(), [&](const auto& alternative) {
      return IsValid(found, *alternative, path);
    });
  };
  const auto refuse = [&](const std::string& sentence) {
    faults.push_back(InvalidField("", value(""), "\"" + path + "\" " + sentence));
  };
  if (!node.any_of.empty() && valid_of(node.any_of) == 0) {
    refuse("must validate at least one schema (anyOf)");
  }
  if (!node.one_of.empty()) {
    const auto valid = valid_of(node.one_of);
    const std::string which =
        valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
    if (valid != 1) refuse("must validate one and only one schema (oneOf). " + which);
  }
  if (static_cast<std::size_t>(valid_of(node.all_of)) != node.all_of.size()) {
    refuse("must validate all the schemas (allOf)");
  }
  if (node.none_of != nullptr && IsValid(found, *node.none_of, path)) {
    refuse("must not validate the schema (not)");
  }
}

// What tells the elements of a list of type map apart.
value KeysOf(const value& item, const std::vector<std::string>& names) {
  boost::json::object keys;
  if (const auto* members = item.if_object()) {
    for (const auto& name : names) {
      if (const auto* key = members->if_contains(name)) keys[name] = *key;
    }
  }
  return keys;
}

void CheckUnique(const boost::json::array& items, const SchemaNode& node, const std::string& path,
                 Faults& faults) {
  for (std::size_t i = 0; node.list_type == "map" && i < items.size(); ++i) {
    if (items[i].is_object() || items[i].is_null()) continue;
    faults.push_back(
        InvalidField(ItemOf(path, i), items[i], "must be an object for an array of list-type map"));
    return;
  }
  boost::json::array seen;
  boost::json::array reported;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const value identity =
        node.list_type == "map" ? KeysOf(items[i], node.list_map_keys) : items[i];
    if (std::find(seen.begin(), seen.end(), identity) == seen.end()) {
      seen.push_back(identity);
    } else if (std::find(reported.begin(), reported.end(), identity) == reported.end()) {
      faults.push_back(DuplicateField(ItemOf(path, i), identity));
      reported.push_back(identity);
    }
  }
}

std::string RuleMessage(const SchemaRule& rule, std::span<const CelBinding> bindings) {
  if (rule.message_program) {
    const auto text = rule.message_program->Text(bindings);
    if (text && !text::Trim(*text).empty() && text->find('\n') == std::string::npos) return *text;
  }
  return rule.message.empty() ? "failed rule: " + rule.text : rule.message;
}

StatusCause BrokenRule(const SchemaRule& rule, const value& found, const std::string& path,
                       const std::string& message) {
  const std::string field =
      path +
      (path.empty() && !rule.field_path.empty() ? rule.field_path.substr(1) : rule.field_path);
  if (rule.reason == "FieldValueForbidden") return ForbiddenField(field, message);
  if (rule.reason == "FieldValueRequired") return RequiredField(field, message);
  if (rule.reason == "FieldValueDuplicate") return DuplicateField(field, found);
  if (found.is_structured()) return InvalidField(field, message);
  return InvalidField(field, found, message);
}

void CheckRule(const SchemaRule& rule, const value& found, const value* old,
               const std::string& path, std::string_view type, Faults& faults) {
  if (rule.compares_with_old && old == nullptr) return;
  const CelBinding bindings[] = {{"self", &found}, {"oldSelf", old}};
  const auto holds = rule.program.IsTrue(bindings);
  if (!holds) {
    faults.push_back(InvalidField(path, value(type),
                                  holds.error().message() + " evaluating rule: " +
                                      (rule.message.empty() ? rule.text : rule.message)));
    return;
  }
  if (!*holds) faults.push_back(BrokenRule(rule, found, path, RuleMessage(rule, bindings)));
}

// The element that was at this place before, where that can be said: fields by name, elements of
// lists of type map by their keys.
const value* OldMember(const value* old, std::string_view name) {
  if (old == nullptr || !old->is_object()) return nullptr;
  return old->get_object().if_contains(name);
}

const value* OldItem(const value* old, const value& item, const SchemaNode& node) {
  if (old == nullptr || !old->is_array() || node.list_type != "map") return nullptr;
  const value keys = KeysOf(item, node.list_map_keys);
  for (const auto& candidate : old->get_array()) {
    if (KeysOf(candidate, node.list_map_keys) == keys) return &candidate;
  }
  return nullptr;
}

}  // namespace

void ValidateBySchema(const value& found, const SchemaNode& node, const std::string& path,
                      Faults& faults) {
  CheckType(found, node, path, faults);
  if (found.is_null()) return;
  if (!node.allowed.empty() &&
      std::find(node.allowed.begin(), node.allowed.end(), found) == node.allowed.end()) {
    faults.push_back(UnsupportedField(path, found, node.allowed));
  }
  CheckCombinations(found, node, path, faults);
  if (found.is_number()) CheckNumber(found, node, path, faults);
  if (found.is_string()) CheckText(found, node, path, faults);
  if (found.is_array()) CheckArray(found.get_array(), node, path, faults);
  if (found.is_object()) CheckObject(found.get_object(), node, path, faults);
}

void CheckLists(const value& found, const SchemaNode& node, const std::string& path,
                Faults& faults) {
  if (const auto* members = found.if_object()) {
    for (const auto& [key, member] : *members) {
      if (const auto* property = node.Property(key)) {
        CheckLists(member, *property, Below(path, key), faults);
      } else if (node.additional != nullptr) {
        CheckLists(member, *node.additional, path + "[" + std::string(key) + "]", faults);
      }
    }
  } else if (const auto* items = found.if_array()) {
    if (node.list_type == "set" || node.list_type == "map") CheckUnique(*items, node, path, faults);
    if (node.items == nullptr) return;
    for (std::size_t i = 0; i < items->size(); ++i) {
      CheckLists((*items)[i], *node.items, ItemOf(path, i), faults);
    }
  }
}

void CheckRules(const value& found, const value* old, const SchemaNode& node,
                const std::string& path, Faults& faults) {
  if (found.is_null()) return;
  for (const auto& rule : node.rules) CheckRule(rule, found, old, path, node.type, faults);
  if (const auto* members = found.if_object()) {
    for (const auto& [key, member] : *members) {
      if (const auto* property = node.Property(key)) {
        CheckRules(member, OldMember(old, key), *property, Below(path, key), faults);
      } else if (node.additional != nullptr) {
        CheckRules(member, OldMember(old, key), *node.additional,
                   path + "[" + std::string(key) + "]", faults);
      }
    }
  } else if (const auto* items = found.if_array(); items != nullptr && node.items != nullptr) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      CheckRules((*items)[i], OldItem(old, (*items)[i], node), *node.items, ItemOf(path, i),
                 faults);
    }
  }
}

}  // namespace gs::localcluster
