// YAML text to boost::json::value, as the Kubernetes tools read it, with a line and a column in
// every refusal.
//
// Text that begins with { or [ is tried as JSON first, so JSON files are read in full (tabs, \u
// escapes); what is no JSON is then read as YAML. Words without quotes follow scalar.h. Refused,
// besides broken text: a key twice in one map, tags other than !!str, !!seq and !!map, merge keys
// (<<), lists or maps as keys, control characters, anything that is not UTF-8, and what grows past
// the limits once aliases are written out. No exception leaves this folder.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::yaml {

// What a text may cost at most. A value counts one, and one more for every 16 bytes of text in it.
struct Limits {
  std::size_t max_bytes = std::size_t{4} << 20;
  std::size_t max_nodes = 1'000'000;
  std::size_t max_depth = 64;
};

// Every document that has content, in order.
[[nodiscard]] Result<std::vector<boost::json::value>> ParseYamlDocuments(std::string_view text,
                                                                         const Limits& limits = {});

// The one document of the text. None and several are refused.
[[nodiscard]] Result<boost::json::value> ParseYaml(std::string_view text,
                                                   const Limits& limits = {});

// Where keys were written, by the keys that lead to them: "election.retryPeriod". What an alias
// brings in has no place of its own.
using KeyPlaces = std::map<std::string, TextPlace>;

// Where the value is that the keys lead to, for a path as error messages have it
// ("nodes.a.taints[1]"); what has no place of its own is where its owner is.
[[nodiscard]] TextPlace FindPlace(const KeyPlaces& places, std::string_view path);

struct PlacedYaml {
  boost::json::value value;
  KeyPlaces places;
};

// The same for readers whose refusals have to name a place too. Always read as YAML.
[[nodiscard]] Result<PlacedYaml> ParseYamlWithPlaces(std::string_view text,
                                                     const Limits& limits = {});

}  // namespace gs::yaml
