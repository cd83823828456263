#include "adapters/localcluster/store/object_text.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/check.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::size_t kRevisionDigits = 10;
constexpr std::array<std::string_view, 4> kBeforeRevision{"name", "generateName", "namespace",
                                                          "uid"};

bool IsBeforeRevision(std::string_view field) {
  return std::find(kBeforeRevision.begin(), kBeforeRevision.end(), field) != kBeforeRevision.end();
}

// Appends members, with commas between them and none after the brace that opens.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  void Add(std::string_view name, const json::value& value) {
    Name(name);
    out_ += json::serialize(value);
  }
  void Name(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    out_ += json::serialize(json::string_view(name.data(), name.size()));
    out_ += ':';
  }

 private:
  std::string& out_;
};

std::string TextOf(const json::value* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->if_string()) return {text->data(), text->size()};
  if (value->is_null()) return {};
  return json::serialize(*value);
}

std::string FieldOf(const json::object& object, std::string_view path) {
  const auto parts = text::Split(path, '.');
  const json::object* at = &object;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto* next = at->if_contains(parts[i]);
    if (next == nullptr || !next->is_object()) return {};
    at = &next->get_object();
  }
  return TextOf(at->if_contains(parts.back()));
}

std::vector<std::pair<std::string, std::string>> LabelsOf(const json::object& metadata) {
  std::vector<std::pair<std::string, std::string>> labels;
  const auto* found = metadata.if_contains("labels");
  if (found == nullptr || !found->is_object()) return labels;
  labels.reserve(found->get_object().size());
  for (const auto& [name, value] : found->get_object()) {
    labels.emplace_back(std::string(name), TextOf(&value));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

// Leaves a hole of no width for the digits of resourceVersion.
void PrintMetadata(const json::object& metadata, StoredObject& draft) {
  draft.text += "\"metadata\":{";
  Members members(draft.text);
  for (const auto field : kBeforeRevision) {
    if (const auto* value = metadata.if_contains(field)) members.Add(field, *value);
  }
  members.Name("resourceVersion");
  draft.text += "\"";
  draft.revision_at = static_cast<std::uint32_t>(draft.text.size());
  draft.text += "\"";
  for (const auto& [name, value] : metadata) {
    if (name != "resourceVersion" && !IsBeforeRevision(name)) members.Add(name, value);
  }
  draft.text += "}";
}

void PrintText(const json::object& object, const json::object& metadata, StoredObject& draft) {
  draft.text = "{";
  Members members(draft.text);
  for (const std::string_view field : {"kind", "apiVersion"}) {
    if (const auto* value = object.if_contains(field)) members.Add(field, *value);
  }
  if (draft.text.back() != '{') draft.text += ',';
  draft.body_at = static_cast<std::uint32_t>(draft.text.size());
  PrintMetadata(metadata, draft);
  for (const auto& [name, value] : object) {
    if (name != "kind" && name != "apiVersion" && name != "metadata") members.Add(name, value);
  }
  draft.text += "}";
  // What is kept for long takes no more room than it needs.
  std::string exact;
  exact.reserve(draft.text.size() + kRevisionDigits);
  exact += draft.text;
  draft.text = std::move(exact);
}

}  // namespace

StoredObject DraftObject(const json::object& object, const std::vector<std::string>& field_paths) {
  const auto* found = object.if_contains("metadata");
  GS_CHECK(found != nullptr && found->is_object());
  const auto& metadata = found->get_object();
  StoredObject draft;
  draft.ns = TextOf(metadata.if_contains("namespace"));
  draft.name = TextOf(metadata.if_contains("name"));
  draft.uid = TextOf(metadata.if_contains("uid"));
  draft.labels = LabelsOf(metadata);
  draft.fields.reserve(field_paths.size());
  for (const auto& path : field_paths) draft.fields.push_back(FieldOf(object, path));
  PrintText(object, metadata, draft);
  return draft;
}

void FillRevision(StoredObject& draft, Revision revision) {
  const std::string digits = std::to_string(revision);
  draft.text.insert(draft.revision_at, digits);
  draft.revision_size = static_cast<std::uint32_t>(digits.size());
  draft.revision = revision;
}

bool IsSame(const StoredObject& draft, const StoredObject& stored) {
  if (draft.before_revision() == stored.before_revision() &&
      draft.after_revision() == stored.after_revision()) {
    return true;
  }
  // The same members in another order have the same length.
  if (draft.text.size() != stored.text.size() - stored.revision_size) return false;
  auto a = ParseStored(draft.text);
  auto b = ParseStored(stored.text);
  a["metadata"].as_object().erase("resourceVersion");
  b["metadata"].as_object().erase("resourceVersion");
  return a == b;
}

json::object ParseStored(std::string_view text) {
  json::error_code ec;
  // What was accepted once is not refused for its depth later.
  json::parse_options options;
  options.max_depth = 256;
  auto value = json::parse({text.data(), text.size()}, ec, {}, options);
  GS_CHECK(!ec && value.is_object());
  return std::move(value.get_object());
}

}  // namespace gs::localcluster
