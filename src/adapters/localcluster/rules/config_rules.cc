#include "adapters/localcluster/rules/config_rules.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <initializer_list>
#include <string>

#include "adapters/localcluster/objects/fields.h"
#include "base/dns_name.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

bool IsOfKeyLetters(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char letter) {
    return text::IsDigit(letter) || text::IsLower(letter) || text::IsUpper(letter) ||
           letter == '-' || letter == '_' || letter == '.';
  });
}

// Keys become names of files, which may not lead out of their folder.
void CheckKey(const std::string& field, std::string_view key, Faults& faults) {
  const auto refuse = [&](std::string_view why) { faults.Invalid(field, json::string(key), why); };
  if (key.size() > kMaxDnsSubdomain) refuse("must be no more than 253 bytes");
  if (!IsOfKeyLetters(key)) refuse(kKeyRule);
  if (key == ".") {
    refuse("must not be '.'");
  } else if (key == "..") {
    refuse("must not be '..'");
  } else if (key.starts_with("..")) {
    refuse("must not start with '..'");
  }
}

std::string FieldAt(std::string_view part, std::string_view key) {
  return std::string(part) + "[" + std::string(key) + "]";
}

void CheckKeys(const json::object& object, std::string_view part, Faults& faults) {
  for (const auto& entry : Members(object, {part})) {
    CheckKey(FieldAt(part, entry.key()), entry.key(), faults);
  }
}

void CheckDuplicates(const json::object& map, Faults& faults) {
  for (const auto& entry : Members(map, {"data"})) {
    if (!Members(map, {"binaryData"}).contains(entry.key())) continue;
    faults.Invalid(FieldAt("data", entry.key()), json::string(entry.key()),
                   "duplicate of key present in binaryData");
  }
}

void KeepImmutable(const json::object& old, const json::object& object,
                   std::initializer_list<std::string_view> parts, Faults& faults) {
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!Bool(old, {"immutable"})) return;
  if (!Bool(object, {"immutable"})) faults.Forbidden("immutable", kWhy);
  for (const auto part : parts) {
    if (Members(old, {part}) != Members(object, {part})) faults.Forbidden(std::string(part), kWhy);
  }
}

}  // namespace

void CheckConfigMap(const json::object* old, const json::object& map, Faults& faults) {
  CheckKeys(map, "data", faults);
  CheckKeys(map, "binaryData", faults);
  CheckDuplicates(map, faults);
  if (old != nullptr) KeepImmutable(*old, map, {"data", "binaryData"}, faults);
}

void CheckSecret(const json::object* old, const json::object& secret, Faults& faults) {
  CheckKeys(secret, "data", faults);
  if (old == nullptr) return;
  if (Text(*old, {"type"}) != Text(secret, {"type"})) {
    faults.Invalid("type", json::string(Text(secret, {"type"})), "field is immutable");
  }
  KeepImmutable(*old, secret, {"data"}, faults);
}

}  // namespace gs::localcluster
