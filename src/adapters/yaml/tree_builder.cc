#include "adapters/yaml/tree_builder.h"

#include <algorithm>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/yaml/characters.h"
#include "adapters/yaml/scalar.h"

namespace gs::yaml {
namespace {

// What the parser says about words without and with quotes; both stand for "no tag was written".
constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// One unit per value and per so many bytes of text, so that repeating a long text costs as much as
// it takes.
constexpr std::size_t kBytesPerUnit = 16;

Error WithPlace(Error error, const YAML::Mark& mark) {
  if (mark.is_null()) return error;
  return std::move(error).At({.line = mark.line + 1, .column = mark.column + 1});
}

Error Invalid(std::string message) { return {ErrorKind::kInvalid, std::move(message)}; }

bool IsTag(std::string_view tag, std::string_view name) {
  return tag.size() == kTagPrefix.size() + name.size() &&
         tag.substr(0, kTagPrefix.size()) == kTagPrefix && tag.substr(kTagPrefix.size()) == name;
}

[[noreturn]] void RefuseTag(const std::string& tag, const YAML::Mark& mark) {
  throw Refusal(Error(ErrorKind::kUnsupported, "the tag " + tag + " is not supported")
                    .Advise("only !!str, !!seq and !!map are"),
                mark);
}

boost::json::value ScalarOf(const std::string& text, const std::string& tag,
                            const YAML::Mark& mark) {
  if (tag == kQuoted || IsTag(tag, "str")) return boost::json::value(text);
  if (tag != kPlain && !tag.empty()) RefuseTag(tag, mark);
  auto value = ResolvePlain(text);
  if (!value) throw Refusal(std::move(value).error(), mark);
  return *std::move(value);
}

}  // namespace

Refusal::Refusal(Error error, const YAML::Mark& mark) : error_(WithPlace(std::move(error), mark)) {}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  // The parser takes leftovers such as the second word of `"a" "b"` for the next document.
  const bool is_marked = mark.pos >= 0 && static_cast<std::size_t>(mark.pos) < text_.size() &&
                         text_.substr(static_cast<std::size_t>(mark.pos), 3) == "---";
  if (has_started_ && !is_marked) {
    throw Refusal(Invalid("unexpected text after the end of the value")
                      .Advise("separate documents with a line ---"),
                  mark);
  }
  has_started_ = true;
  anchors_.clear();
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  OnScalar(mark, std::string(kPlain), anchor, "");
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  if (tag == kPlain && text == "<<" && ExpectsKey()) {
    throw Refusal(Error(ErrorKind::kUnsupported, "merge keys (<<) are not supported")
                      .Advise("write the fields out"),
                  mark);
  }
  // The parser spells the escapes \N and \_ as Latin-1; everything else in a valid text stays
  // valid.
  if (!IsUtf8(text)) {
    throw Refusal(Error(ErrorKind::kUnsupported, "the escapes \\N and \\_ are not supported")
                      .Advise("write \\u0085 and \\u00A0"),
                  mark);
  }
  Node node{.value = ScalarOf(text, tag, mark), .cost = 1 + text.size() / kBytesPerUnit};
  Charge(node.cost, mark);
  Remember(anchor, node, mark);
  Add(std::move(node), mark);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  // An anchor is known once its value is complete.
  if (found == anchors_.end()) throw Refusal(Invalid("an alias inside the value it names"), mark);
  Charge(found->second.cost, mark);
  CheckDepth(open_.size() + found->second.depth, mark);
  Add(found->second, mark);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  if (IsTag(tag, "map")) RefuseTag(tag, mark);
  Open(mark, tag, anchor, boost::json::array());
}
void TreeBuilder::OnSequenceEnd() { Close(); }

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  if (IsTag(tag, "seq")) RefuseTag(tag, mark);
  Open(mark, tag, anchor, boost::json::object());
}
void TreeBuilder::OnMapEnd() { Close(); }

bool TreeBuilder::ExpectsKey() const {
  return !open_.empty() && open_.back().node.value.is_object() && !open_.back().key;
}

void TreeBuilder::Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       boost::json::value empty) {
  const bool is_known =
      tag.empty() || tag == kPlain || tag == kQuoted || IsTag(tag, "seq") || IsTag(tag, "map");
  if (!is_known) RefuseTag(tag, mark);
  if (ExpectsKey()) {
    throw Refusal(Invalid("a list or map cannot be a key").Advise("is a quote or a line missing?"),
                  mark);
  }
  CheckDepth(open_.size() + 1, mark);
  Charge(1, mark);
  open_.push_back(
      {.mark = mark, .anchor = anchor, .node = {.value = std::move(empty), .depth = 1}, .key = {}});
}

void TreeBuilder::Close() {
  Frame frame = std::move(open_.back());
  open_.pop_back();
  Remember(frame.anchor, frame.node, frame.mark);
  Add(std::move(frame.node), frame.mark);
}

void TreeBuilder::Add(Node node, const YAML::Mark& mark) {
  if (open_.empty()) {
    if (!node.value.is_null()) documents_.push_back(std::move(node.value));
    return;
  }
  Frame& parent = open_.back();
  parent.node.cost += node.cost;
  parent.node.depth = std::max(parent.node.depth, node.depth + 1);
  if (parent.node.value.is_object()) {
    AddMember(parent, std::move(node), mark);
  } else {
    parent.node.value.get_array().push_back(std::move(node.value));
  }
}

void TreeBuilder::AddMember(Frame& map, Node node, const YAML::Mark& mark) {
  auto& members = map.node.value.get_object();
  if (map.key) {
    members.emplace(*map.key, std::move(node.value));
    map.key.reset();
    return;
  }
  auto key = KeyOf(node.value);
  if (!key) throw Refusal(std::move(key).error(), mark);
  if (members.contains(*key)) {
    throw Refusal(Invalid("the key " + json::Quoted(*key) + " appears twice in one map"), mark);
  }
  map.key = *std::move(key);
  if (places_ != nullptr) NotePlace(mark);
}

// Of the key that was read last; the maps around it still wait for the values of theirs.
void TreeBuilder::NotePlace(const YAML::Mark& mark) {
  std::string path;
  for (const Frame& frame : open_) {
    if (!frame.key) continue;
    if (!path.empty()) path += '.';
    path += *frame.key;
  }
  Charge(path.size() / kBytesPerUnit, mark);
  places_->insert_or_assign(std::move(path),
                            TextPlace{.line = mark.line + 1, .column = mark.column + 1});
}

void TreeBuilder::Remember(YAML::anchor_t anchor, const Node& node, const YAML::Mark& mark) {
  if (anchor == YAML::NullAnchor) return;
  Charge(node.cost, mark);
  anchors_.insert_or_assign(anchor, node);
}

void TreeBuilder::Charge(std::size_t cost, const YAML::Mark& mark) {
  total_cost_ += cost;
  if (total_cost_ <= limits_.max_nodes) return;
  throw Refusal(Invalid("more than " + std::to_string(limits_.max_nodes) +
                        " values once aliases are written out"),
                mark);
}

void TreeBuilder::CheckDepth(std::size_t depth, const YAML::Mark& mark) const {
  if (depth <= limits_.max_depth) return;
  throw Refusal(Invalid("nested deeper than " + std::to_string(limits_.max_depth) +
                        " levels, which is the most that is read"),
                mark);
}

}  // namespace gs::yaml
