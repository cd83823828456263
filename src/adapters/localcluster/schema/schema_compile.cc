#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "adapters/localcluster/schema/field_fault.h"
#include "adapters/localcluster/schema/schema_node.h"

namespace gs::localcluster {
namespace {

using boost::json::object;
using boost::json::value;
using NodePtr = std::unique_ptr<SchemaNode>;

constexpr std::string_view kTypes[] = {"object", "array", "string", "integer", "number", "boolean"};
constexpr std::string_view kForbidden[] = {"$ref",        "id",           "additionalItems",
                                           "definitions", "dependencies", "patternProperties"};

// Whether the value that was there before an update can be found for a place.
enum class Correlation : std::uint8_t { kKnown, kLost };

CelTypePtr ScalarType(const SchemaNode& node) {
  using Kind = CelType::Kind;
  if (node.type == "integer") return CelType::Of(Kind::kInt);
  if (node.type == "number") return CelType::Of(Kind::kDouble);
  if (node.type == "boolean") return CelType::Of(Kind::kBool);
  // Times and lengths of time are no texts in CEL; all that can be said of them here is whether
  // they are the same.
  const bool is_time = node.format == "date-time" || node.format == "date" ||
                       node.format == "duration" || node.format == "byte";
  return is_time ? CelType::ObjectOf({}) : CelType::Of(Kind::kString);
}

// What a rule may know of a place.
CelTypePtr CelTypeOf(const SchemaNode& node) {
  const bool is_open = node.is_int_or_string || node.is_nullable || node.type.empty() ||
                       (node.keeps_unknown_fields && node.properties.empty());
  if (is_open) return CelType::Of(CelType::Kind::kDyn);
  if (node.type == "array") return CelType::ListOf(CelTypeOf(*node.items));
  if (node.type != "object") return ScalarType(node);
  if (node.additional != nullptr) return CelType::MapOf(CelTypeOf(*node.additional));
  std::map<std::string, CelTypePtr> fields;
  for (const auto& [name, property] : node.properties) fields[name] = CelTypeOf(*property);
  if (node.is_embedded_resource) {
    const auto text = CelType::Of(CelType::Kind::kString);
    fields["apiVersion"] = text;
    fields["kind"] = text;
    fields["metadata"] = CelType::ObjectOf({{"name", text}, {"generateName", text}});
  }
  return CelType::ObjectOf(std::move(fields));
}

// The keywords of one place, typed; what has another type than it should is a fault.
class Keywords {
 public:
  Keywords(const object& source, const std::string& path, std::vector<StatusCause>& faults)
      : source_(source), path_(path), faults_(faults) {}

  [[nodiscard]] const value* Find(std::string_view name) const {
    const auto* found = source_.if_contains(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  [[nodiscard]] std::string Text(std::string_view name) {
    const auto* found = Find(name);
    if (found == nullptr) return {};
    if (found->is_string()) return std::string(found->get_string());
    Wrong(name, *found, "must be a string");
    return {};
  }
  [[nodiscard]] bool Flag(std::string_view name) {
    const auto* found = Find(name);
    if (found == nullptr) return false;
    if (found->is_bool()) return found->get_bool();
    Wrong(name, *found, "must be a boolean");
    return false;
  }
  [[nodiscard]] std::optional<double> Number(std::string_view name) {
    const auto* found = Find(name);
    if (found == nullptr) return std::nullopt;
    if (found->is_number()) return found->to_number<double>();
    Wrong(name, *found, "must be a number");
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> Count(std::string_view name) {
    const auto* found = Find(name);
    if (found == nullptr) return std::nullopt;
    if (found->is_int64() && found->get_int64() >= 0) return found->get_int64();
    Wrong(name, *found, "must be a whole number that is not negative");
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> Texts(std::string_view name) {
    std::vector<std::string> texts;
    for (const auto& item : Array(name)) {
      if (item.is_string()) {
        texts.emplace_back(item.get_string());
      } else {
        Wrong(name, item, "must be strings");
      }
    }
    return texts;
  }
  [[nodiscard]] const boost::json::array& Array(std::string_view name) {
    static const boost::json::array kNone;
    const auto* found = Find(name);
    if (found == nullptr) return kNone;
    if (found->is_array()) return found->get_array();
    Wrong(name, *found, "must be an array");
    return kNone;
  }

 private:
  void Wrong(std::string_view name, const value& found, std::string_view why) {
    faults_.push_back(InvalidField(path_ + "." + std::string(name), found, why));
  }

  const object& source_;
  const std::string& path_;
  std::vector<StatusCause>& faults_;
};

class Compiler {
 public:
  explicit Compiler(std::vector<StatusCause>& faults) : faults_(faults) {}

  // `needs_type` says for what a type is needed; "" where none may be given.
  NodePtr Compile(const value& source, const std::string& path, std::string_view needs_type,
                  Correlation correlation) {
    auto node = std::make_unique<SchemaNode>();
    if (!source.is_object()) {
      faults_.push_back(InvalidField(path, source, "must be an object"));
      return node;
    }
    Keywords keywords(source.get_object(), path, faults_);
    for (const auto name : kForbidden) {
      if (keywords.Find(name) != nullptr) Forbid(path, name, "is not supported");
    }
    ReadGeneral(keywords, path, needs_type, *node);
    ReadLimits(keywords, path, *node);
    ReadObject(keywords, path, correlation, *node);
    ReadArray(keywords, path, correlation, *node);
    ReadCombinations(keywords, path, *node);
    ReadDefault(keywords, path, *node);
    ReadRules(keywords, path, correlation, *node);
    return node;
  }

 private:
  void Forbid(const std::string& path, std::string_view name, std::string_view why) {
    faults_.push_back(ForbiddenField(path + "." + std::string(name), why));
  }

  void ReadGeneral(Keywords& keywords, const std::string& path, std::string_view needs_type,
                   SchemaNode& node) {
    node.type = keywords.Text("type");
    node.format = keywords.Text("format");
    node.is_nullable = keywords.Flag("nullable");
    node.keeps_unknown_fields = keywords.Flag("x-kubernetes-preserve-unknown-fields");
    node.is_int_or_string = keywords.Flag("x-kubernetes-int-or-string");
    node.is_embedded_resource = keywords.Flag("x-kubernetes-embedded-resource");
    const bool is_open = node.keeps_unknown_fields || node.is_int_or_string;
    if (node.type.empty() && !needs_type.empty() && !is_open) {
      faults_.push_back(
          RequiredField(path + ".type", "must not be empty " + std::string(needs_type)));
    }
    if (!node.type.empty() &&
        std::find(std::begin(kTypes), std::end(kTypes), node.type) == std::end(kTypes)) {
      faults_.push_back(UnsupportedField(path + ".type", value(node.type),
                                         boost::json::array(std::begin(kTypes), std::end(kTypes))));
    }
    if (!node.type.empty() && needs_type.empty()) {
      Forbid(path, "type", "must be empty to be structural");
    }
  }

  void ReadLimits(Keywords& keywords, const std::string& path, SchemaNode& node) {
    node.allowed = keywords.Array("enum");
    node.minimum = keywords.Number("minimum");
    node.maximum = keywords.Number("maximum");
    node.excludes_minimum = keywords.Flag("exclusiveMinimum");
    node.excludes_maximum = keywords.Flag("exclusiveMaximum");
    node.multiple_of = keywords.Number("multipleOf");
    if (node.multiple_of && *node.multiple_of <= 0) {
      faults_.push_back(InvalidField(path + ".multipleOf", value(*node.multiple_of),
                                     "must be greater than zero"));
    }
    node.min_length = keywords.Count("minLength");
    node.max_length = keywords.Count("maxLength");
    node.pattern_text = keywords.Text("pattern");
    if (node.pattern_text.empty()) return;
    auto pattern = Pattern::Compile(node.pattern_text);
    if (!pattern) {
      faults_.push_back(InvalidField(
          path + ".pattern", value(node.pattern_text),
          "must be a valid regular expression, but isn't: " + pattern.error().message()));
      return;
    }
    node.pattern = *std::move(pattern);
  }

  void ReadObject(Keywords& keywords, const std::string& path, Correlation correlation,
                  SchemaNode& node) {
    node.required = keywords.Texts("required");
    node.min_properties = keywords.Count("minProperties");
    node.max_properties = keywords.Count("maxProperties");
    const auto* properties = keywords.Find("properties");
    if (properties != nullptr && properties->is_object()) {
      for (const auto& [name, property] : properties->get_object()) {
        node.properties.emplace_back(
            name, Compile(property, path + ".properties[" + std::string(name) + "]",
                          NeedsType("for specified object fields"), correlation));
      }
    } else if (properties != nullptr) {
      faults_.push_back(InvalidField(path + ".properties", *properties, "must be an object"));
    }
    const auto* additional = keywords.Find("additionalProperties");
    if (additional == nullptr) return;
    if (!node.properties.empty()) {
      Forbid(path, "additionalProperties",
             "additionalProperties and properties are mutual exclusive");
    } else if (additional->is_bool()) {
      node.forbids_additional = !additional->get_bool();
      node.keeps_unknown_fields = node.keeps_unknown_fields || additional->get_bool();
    } else {
      node.additional = Compile(*additional, path + ".additionalProperties",
                                NeedsType("for specified object fields"), correlation);
    }
  }

  void ReadArray(Keywords& keywords, const std::string& path, Correlation correlation,
                 SchemaNode& node) {
    node.list_type = keywords.Text("x-kubernetes-list-type");
    node.list_map_keys = keywords.Texts("x-kubernetes-list-map-keys");
    node.min_items = keywords.Count("minItems");
    node.max_items = keywords.Count("maxItems");
    if (keywords.Flag("uniqueItems")) {
      Forbid(path, "uniqueItems",
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    const bool is_known = node.list_type.empty() || node.list_type == "atomic" ||
                          node.list_type == "set" || node.list_type == "map";
    if (!is_known) {
      faults_.push_back(UnsupportedField(path + ".x-kubernetes-list-type", value(node.list_type),
                                         {"atomic", "map", "set"}));
    }
    if (node.list_type == "map" && node.list_map_keys.empty()) {
      faults_.push_back(RequiredField(path + ".x-kubernetes-list-map-keys",
                                      "must not be empty if x-kubernetes-list-type is map"));
    }
    if (const auto* items = keywords.Find("items")) {
      const bool keeps = correlation == Correlation::kKnown && node.list_type == "map";
      node.items = Compile(*items, path + ".items", NeedsType("for specified array items"),
                           keeps ? Correlation::kKnown : Correlation::kLost);
    } else if (node.type == "array") {
      faults_.push_back(RequiredField(path + ".items", "must be specified"));
    }
  }

  [[nodiscard]] std::string_view NeedsType(std::string_view why) const {
    return combination_depth_ > 0 ? std::string_view() : why;
  }

  void ReadCombinations(Keywords& keywords, const std::string& path, SchemaNode& node) {
    ++combination_depth_;
    const auto read = [&](std::string_view name, std::vector<NodePtr>& nodes) {
      const auto& alternatives = keywords.Array(name);
      for (std::size_t i = 0; i < alternatives.size(); ++i) {
        const std::string place = path + "." + std::string(name) + "[" + std::to_string(i) + "]";
        nodes.push_back(CompileAlternative(alternatives[i], place, node));
      }
    };
    read("allOf", node.all_of);
    read("anyOf", node.any_of);
    read("oneOf", node.one_of);
    if (const auto* none = keywords.Find("not")) {
      node.none_of = CompileAlternative(*none, path + ".not", node);
    }
    --combination_depth_;
  }

  // The two alternatives of an int-or-string are the only ones that may name a type.
  NodePtr CompileAlternative(const value& source, const std::string& path, const SchemaNode& node) {
    return Compile(source, path, node.is_int_or_string ? "for an alternative" : "",
                   Correlation::kLost);
  }

  void ReadDefault(Keywords& keywords, const std::string& path, SchemaNode& node) {
    const auto* fallback = keywords.Find("default");
    if (fallback == nullptr || !faults_.empty()) return;
    value filled = *fallback;
    PruneBySchema(filled, node);
    if (filled != *fallback) {
      faults_.push_back(InvalidField(path + ".default", *fallback, "must not have unknown fields"));
    }
    FillBySchema(filled, node);
    ValidateBySchema(filled, node, path + ".default", faults_);
    node.fallback = *fallback;
  }

  void ReadRules(Keywords& keywords, const std::string& path, Correlation correlation,
                 SchemaNode& node) {
    const auto& rules = keywords.Array("x-kubernetes-validations");
    if (rules.empty() || !faults_.empty()) return;
    if (combination_depth_ > 0) {
      Forbid(path, "x-kubernetes-validations", "must be empty to be structural");
      return;
    }
    const CelTypePtr self = CelTypeOf(node);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      ReadRule(rules[i], path + ".x-kubernetes-validations[" + std::to_string(i) + "]", self,
               correlation, node);
    }
  }

  void ReadRule(const value& source, const std::string& path, const CelTypePtr& self,
                Correlation correlation, SchemaNode& node) {
    if (!source.is_object()) {
      faults_.push_back(InvalidField(path, source, "must be an object"));
      return;
    }
    Keywords keywords(source.get_object(), path, faults_);
    const std::string text = keywords.Text("rule");
    if (text.empty()) {
      faults_.push_back(RequiredField(path + ".rule", "rule is not specified"));
      return;
    }
    if (keywords.Flag("optionalOldSelf")) Forbid(path, "optionalOldSelf", "is not supported");
    const std::vector<CelVariable> variables{{.name = "self", .type = self},
                                             {.name = "oldSelf", .type = self}};
    auto program = CelProgram::Compile(text, variables);
    if (!program) {
      faults_.push_back(InvalidField(path + ".rule", value(text), program.error().message()));
      return;
    }
    SchemaRule rule{.program = *std::move(program),
                    .message_program = {},
                    .text = text,
                    .message = keywords.Text("message"),
                    .field_path = keywords.Text("fieldPath"),
                    .reason = keywords.Text("reason")};
    rule.compares_with_old = rule.program.Uses("oldSelf");
    if (rule.compares_with_old && correlation == Correlation::kLost) {
      faults_.push_back(
          InvalidField(path + ".rule", value(text),
                       "oldSelf cannot be used on the uncorrelatable portion of the schema"));
    }
    ReadMessage(keywords, path, variables, rule);
    node.rules.push_back(std::move(rule));
  }

  void ReadMessage(Keywords& keywords, const std::string& path,
                   const std::vector<CelVariable>& variables, SchemaRule& rule) {
    const std::string text = keywords.Text("messageExpression");
    if (text.empty()) return;
    auto program = CelProgram::Compile(text, variables, CelType::Kind::kString);
    if (program) {
      rule.message_program = *std::move(program);
    } else {
      faults_.push_back(
          InvalidField(path + ".messageExpression", value(text), program.error().message()));
    }
  }

  std::vector<StatusCause>& faults_;
  int combination_depth_ = 0;
};

}  // namespace

NodePtr CompileSchema(const value& source, const std::string& path,
                      std::vector<StatusCause>& faults) {
  auto root = Compiler(faults).Compile(source, path, "at the root", Correlation::kKnown);
  return faults.empty() ? std::move(root) : nullptr;
}

}  // namespace gs::localcluster
