// SchemaNode: one place in a custom resource's schema, with everything that was looked up, parsed
// and compiled once. Inside this folder only.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/localcluster/cel/cel_program.h"
#include "adapters/localcluster/pattern/pattern.h"
#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

// One of x-kubernetes-validations.
struct SchemaRule {
  CelProgram program;
  std::optional<CelProgram> message_program;
  std::string text;
  std::string message;
  std::string field_path;  // ".a.b", added to the path of the place
  std::string reason;
  bool compares_with_old = false;  // uses oldSelf: only runs when there is an old value
};

struct SchemaNode {
  std::string type;  // "" where the schema does not say
  std::string format;
  bool is_nullable = false;
  bool keeps_unknown_fields = false;
  bool is_int_or_string = false;
  bool is_embedded_resource = false;
  std::optional<boost::json::value> fallback;  // "default"

  std::vector<std::pair<std::string, std::unique_ptr<SchemaNode>>> properties;
  std::unique_ptr<SchemaNode> additional;  // of fields that are not named
  bool forbids_additional = false;
  std::vector<std::string> required;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;

  std::unique_ptr<SchemaNode> items;
  std::string list_type;
  std::vector<std::string> list_map_keys;
  bool has_unique_items = false;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;

  boost::json::array allowed;  // "enum"
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool excludes_minimum = false;
  bool excludes_maximum = false;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::string pattern_text;
  std::optional<Pattern> pattern;

  std::vector<std::unique_ptr<SchemaNode>> all_of;
  std::vector<std::unique_ptr<SchemaNode>> any_of;
  std::vector<std::unique_ptr<SchemaNode>> one_of;
  std::unique_ptr<SchemaNode> none_of;  // "not"
  std::vector<SchemaRule> rules;

  // Null if the field is not named.
  [[nodiscard]] const SchemaNode* Property(std::string_view name) const {
    for (const auto& [key, node] : properties) {
      if (key == name) return node.get();
    }
    return nullptr;
  }
};

// Null if there are faults, which name the place in the schema.
[[nodiscard]] std::unique_ptr<SchemaNode> CompileSchema(const boost::json::value& source,
                                                        const std::string& path,
                                                        std::vector<StatusCause>& faults);

// Takes away what the schema does not name.
void PruneBySchema(boost::json::value& value, const SchemaNode& node);
// Adds what the schema has defaults for.
void FillBySchema(boost::json::value& value, const SchemaNode& node);

// `old` is null where there was nothing. Does not look at lists that must be unique, nor at rules.
void ValidateBySchema(const boost::json::value& value, const SchemaNode& node,
                      const std::string& path, std::vector<StatusCause>& faults);
void CheckLists(const boost::json::value& value, const SchemaNode& node, const std::string& path,
                std::vector<StatusCause>& faults);
void CheckRules(const boost::json::value& value, const boost::json::value* old,
                const SchemaNode& node, const std::string& path, std::vector<StatusCause>& faults);

}  // namespace gs::localcluster
