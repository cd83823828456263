#include "adapters/localcluster/patch/json_patch.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/json/parse.h"
#include "base/parse.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t kMaxOperations = 10000;
// What "copy" may add in all; without it a short patch could double an object again and again.
constexpr std::size_t kMaxCopiedBytes = std::size_t{3} << 20;

constexpr std::string_view kMissing = "missing value";

Error Refused(std::string message) { return {ErrorKind::kConflict, std::move(message)}; }

Error Missing(const std::string& message) {
  return Refused(message + ": " + std::string(kMissing));
}

std::string Unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = i + 1 < token.size() ? token[i + 1] : '\0';
    const bool is_escape = token[i] == '~' && (next == '0' || next == '1');
    text += is_escape ? (next == '0' ? '~' : '/') : token[i];
    if (is_escape) ++i;
  }
  return text;
}

// The container that a path ends in, and the key within it.
struct Place {
  value* container = nullptr;  // an object or an array
  std::string key;
  std::size_t depth = 0;  // of what lies at the key
};

// The index an element of `size` elements has, counted from the end if it is negative.
Result<std::size_t> IndexOf(std::string_view key, std::size_t size) {
  if (key.size() > 1 && key.front() == '+' && text::IsDigit(key[1])) key.remove_prefix(1);
  const auto parsed = ParseInt64(key);
  if (!parsed) {
    return Refused("strconv.Atoi: parsing \"" + std::string(key) + "\": invalid syntax");
  }
  const auto count = static_cast<std::int64_t>(size);
  if (*parsed >= count || *parsed < -count) {
    return Refused("Unable to access invalid index: " + std::to_string(*parsed) +
                   ": invalid index referenced");
  }
  return static_cast<std::size_t>(*parsed < 0 ? *parsed + count : *parsed);
}

// The member or element at a key; a member that is not there is null without being an error.
Result<value*> Get(value& container, const std::string& key) {
  if (auto* members = container.if_object()) return members->if_contains(key);
  auto& items = container.get_array();
  const auto index = IndexOf(key, items.size());
  if (!index) return index.error();
  return &items[*index];
}

std::optional<Place> Find(value& document, std::string_view path) {
  const auto tokens = text::Split(path, '/');
  if (tokens.size() < 2 || !document.is_structured()) return std::nullopt;
  Place place{.container = &document, .depth = tokens.size() - 1};
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const auto next = Get(*place.container, Unescaped(tokens[i]));
    if (!next || *next == nullptr || !(*next)->is_structured()) return std::nullopt;
    place.container = *next;
  }
  place.key = Unescaped(tokens.back());
  return place;
}

std::size_t DepthOf(const value& tree) {
  std::size_t deepest = 0;
  if (const auto* members = tree.if_object()) {
    for (const auto& member : *members) deepest = std::max(deepest, DepthOf(member.value()));
  } else if (const auto* items = tree.if_array()) {
    for (const auto& item : *items) deepest = std::max(deepest, DepthOf(item));
  } else {
    return 0;
  }
  return deepest + 1;
}

// No patch builds what our own parser would refuse to read again.
Result<void> CheckDepth(const Place& place, const value& added) {
  if (place.depth + DepthOf(added) <= json::Limits{}.max_depth) return {};
  return Refused("exceeded max depth");
}

Result<void> Add(const Place& place, value added) {
  if (auto checked = CheckDepth(place, added); !checked) return checked;
  if (auto* members = place.container->if_object()) {
    (*members)[place.key] = std::move(added);
    return {};
  }
  auto& items = place.container->get_array();
  if (place.key == "-") {
    items.push_back(std::move(added));
    return {};
  }
  const auto index = IndexOf(place.key, items.size() + 1);
  if (!index) {
    const bool is_number = index.error().message().starts_with("Unable");
    return is_number ? index.error()
                     : Refused("value was not a proper array index: '" + place.key +
                               "': " + index.error().message());
  }
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(added));
  return {};
}

Result<void> Remove(const Place& place) {
  if (auto* members = place.container->if_object()) {
    const auto member = members->find(place.key);
    if (member == members->end()) {
      return Missing("Unable to remove nonexistent key: " + place.key);
    }
    members->stable_erase(member);
    return {};
  }
  auto& items = place.container->get_array();
  const auto index = IndexOf(place.key, items.size());
  if (!index) return index.error();
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
  return {};
}

Result<void> InOperation(const std::string& prefix, Result<void> outcome) {
  if (outcome) return outcome;
  return Refused(prefix + outcome.error().message());
}

// One step of a patch, with its texts already checked to be texts.
struct Operation {
  std::string kind;
  std::optional<std::string> path;
  std::optional<std::string> from;
  const value* operand = nullptr;  // null: not given

  [[nodiscard]] value OperandOrNull() const { return operand == nullptr ? value() : *operand; }
};

class Patcher {
 public:
  explicit Patcher(value& document) : document_(document) {}

  Result<void> Apply(const Operation& step) {
    if (step.kind == "add") return ApplyAdd(step);
    if (step.kind == "remove") return ApplyRemove(step);
    if (step.kind == "replace") return ApplyReplace(step);
    if (step.kind == "move") return ApplyMove(step);
    if (step.kind == "copy") return ApplyCopy(step);
    if (step.kind == "test") return ApplyTest(step);
    return Refused("Unexpected kind: " + step.kind);
  }

 private:
  // Where a path leads, or "<operation> does not apply: ...".
  Result<Place> Locate(const Operation& step, const std::optional<std::string>& path,
                       std::string_view name, std::string_view wording) {
    if (!path) {
      const std::string comma = name == "from" ? "operation, missing " : "operation missing ";
      const bool is_brief =
          step.kind == "add" || step.kind == "remove" || (step.kind == "copy" && name == "path");
      return Missing(step.kind + " operation failed to decode " + std::string(name) +
                     (is_brief ? "" : ": " + comma + std::string(name) + " field"));
    }
    auto place = Find(document_, *path);
    if (place) return std::move(*place);
    const bool is_quoted = step.kind == "add" || step.kind == "remove";
    return Missing(step.kind + " operation does not apply: " + std::string(wording) + ": " +
                   (is_quoted ? "\"" + *path + "\"" : *path));
  }

  Result<void> ApplyAdd(const Operation& step) {
    const auto place = Locate(step, step.path, "path", "doc is missing path");
    if (!place) return place.error();
    return InOperation("error in add for path: '" + *step.path + "': ",
                       Add(*place, step.OperandOrNull()));
  }

  Result<void> ApplyRemove(const Operation& step) {
    const auto place = Locate(step, step.path, "path", "doc is missing path");
    if (!place) return place.error();
    return InOperation("error in remove for path: '" + *step.path + "': ", Remove(*place));
  }

  Result<void> ApplyReplace(const Operation& step) {
    if (step.path == "") return ReplaceAll(step);
    const auto place = Locate(step, step.path, "path", "doc is missing path");
    if (!place) return place.error();
    const auto old = Get(*place->container, place->key);
    if (!old) return Missing("replace operation does not apply: doc is missing key: " + *step.path);
    if (auto checked = CheckDepth(*place, step.OperandOrNull()); !checked) return checked;
    if (*old == nullptr) return Add(*place, step.OperandOrNull());
    **old = step.OperandOrNull();
    return {};
  }

  Result<void> ReplaceAll(const Operation& step) {
    if (step.operand == nullptr || !step.operand->is_structured()) {
      return Refused("replace operation value must be object or array");
    }
    document_ = *step.operand;
    return {};
  }

  Result<void> ApplyMove(const Operation& step) {
    const auto from = Locate(step, step.from, "from", "doc is missing from path");
    if (!from) return from.error();
    const std::string prefix = "error in move for path: '" + from->key + "': ";
    const auto found = Get(*from->container, from->key);
    if (!found) return Refused(prefix + found.error().message());
    value moved = *found == nullptr ? value() : **found;
    if (auto removed = Remove(*from); !removed) return InOperation(prefix, removed);
    const auto to = Locate(step, step.path, "path", "doc is missing destination path");
    if (!to) return to.error();
    return InOperation("error in move for path: '" + *step.path + "': ",
                       Add(*to, std::move(moved)));
  }

  Result<void> ApplyCopy(const Operation& step) {
    const auto from = Locate(step, step.from, "from", "doc is missing from path");
    if (!from) return from.error();
    const auto found = Get(*from->container, from->key);
    if (!found) {
      return Refused("error in copy for from: '" + *step.from + "': " + found.error().message());
    }
    value copied = *found == nullptr ? value() : **found;
    const auto to = Locate(step, step.path, "path", "doc is missing destination path");
    if (!to) return to.error();
    copied_bytes_ += boost::json::serialize(copied).size();
    if (copied_bytes_ > kMaxCopiedBytes) {
      return Refused("Unable to complete the copy, the accumulated size increase of copy is " +
                     std::to_string(copied_bytes_) + ", exceeding the limit " +
                     std::to_string(kMaxCopiedBytes));
    }
    return InOperation("error while adding value during copy: ", Add(*to, std::move(copied)));
  }

  Result<void> ApplyTest(const Operation& step) {
    const Error failed =
        Refused("testing value " + step.path.value_or("") + " failed: test failed");
    if (step.path == "") {
      if (step.operand != nullptr && *step.operand == document_) return {};
      return failed;
    }
    const auto place = Locate(step, step.path, "path", "is missing path");
    if (!place) return place.error();
    const auto found = Get(*place->container, place->key);
    if (!found) {
      return Refused("error in test for path: '" + *step.path + "': " + found.error().message());
    }
    // What is not there counts as null.
    if ((*found == nullptr ? value() : **found) == step.OperandOrNull()) return {};
    return failed;
  }

  value& document_;
  std::size_t copied_bytes_ = 0;
};

Error Undecodable(std::string_view found, std::string_view where) {
  return {ErrorKind::kInvalid, "error decoding patch: json: cannot unmarshal " +
                                   std::string(found) + " into Go " + std::string(where)};
}

std::string_view KindName(const value& found) {
  switch (found.kind()) {
    case boost::json::kind::object: return "object";
    case boost::json::kind::array: return "array";
    case boost::json::kind::string: return "string";
    case boost::json::kind::bool_: return "bool";
    case boost::json::kind::null: return "null";
    default: return "number";
  }
}

Result<std::optional<std::string>> TextField(const object& fields, std::string_view name) {
  const auto* field = fields.if_contains(name);
  if (field == nullptr || field->is_null()) return std::optional<std::string>();
  if (const auto* text = field->if_string()) return std::optional(std::string(*text));
  return Undecodable(KindName(*field),
                     "struct field jsonPatchOp." + std::string(name) + " of type string");
}

Result<Operation> ReadOperation(const value& step) {
  static const object kNoFields;
  const auto* fields = step.is_null() ? &kNoFields : step.if_object();
  if (fields == nullptr) return Undecodable(KindName(step), "value of type handlers.jsonPatchOp");
  auto kind = TextField(*fields, "op");
  if (!kind) return kind.error();
  auto path = TextField(*fields, "path");
  if (!path) return path.error();
  auto from = TextField(*fields, "from");
  if (!from) return from.error();
  return Operation{.kind = kind->value_or("unknown"),
                   .path = *std::move(path),
                   .from = *std::move(from),
                   .operand = fields->if_contains("value")};
}

}  // namespace

Result<value> ApplyJsonPatch(value document, const value& patch) {
  static const array kNoSteps;
  const auto* steps = patch.is_null() ? &kNoSteps : patch.if_array();
  if (steps == nullptr) {
    return Undecodable(KindName(patch), "value of type []handlers.jsonPatchOp");
  }
  if (steps->size() > kMaxOperations) {
    return Error(ErrorKind::kUnsupported, "The allowed maximum operations in a JSON patch is " +
                                              std::to_string(kMaxOperations) + ", got " +
                                              std::to_string(steps->size()));
  }
  Patcher patcher(document);
  for (const auto& step : *steps) {
    const auto operation = ReadOperation(step);
    if (!operation) return operation.error();
    if (auto applied = patcher.Apply(*operation); !applied) return std::move(applied).error();
  }
  return document;
}

}  // namespace gs::localcluster
