// Turns the events of the YAML parser into JSON values, one per document, and refuses what JSON or
// we do not have.
//
// Internal to this folder: it refuses by throwing Refusal through the parser's frames; parse.cc
// catches it.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <boost/json/value.hpp>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/yaml/parse.h"
#include "base/error.h"

namespace gs::yaml {

class Refusal : public std::exception {
 public:
  Refusal(Error error, const YAML::Mark& mark);
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  // `text` is what the parser reads; it must outlive the builder, and so must `places`, where the
  // places of keys go unless it is null.
  TreeBuilder(std::string_view text, const Limits& limits, KeyPlaces* places)
      : text_(text), limits_(limits), places_(places) {}

  // The documents so far. Those without content are left out, as kubectl does.
  [[nodiscard]] std::vector<boost::json::value> TakeDocuments() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  // A finished value, what it cost to build, and how many levels it has.
  struct Node {
    boost::json::value value;
    std::size_t cost = 1;
    std::size_t depth = 0;
  };
  // A list or a map that is still open.
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    Node node;                       // the list or map so far
    std::optional<std::string> key;  // of the member whose value comes next
  };

  [[nodiscard]] bool ExpectsKey() const;
  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            boost::json::value empty);
  void Close();
  void Add(Node node, const YAML::Mark& mark);
  void AddMember(Frame& map, Node node, const YAML::Mark& mark);
  void NotePlace(const YAML::Mark& mark);
  void Remember(YAML::anchor_t anchor, const Node& node, const YAML::Mark& mark);
  void Charge(std::size_t cost, const YAML::Mark& mark);
  void CheckDepth(std::size_t depth, const YAML::Mark& mark) const;

  // Constant after construction.
  std::string_view text_;
  Limits limits_;
  KeyPlaces* places_;

  std::vector<boost::json::value> documents_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t total_cost_ = 0;
  bool has_started_ = false;
};

}  // namespace gs::yaml
