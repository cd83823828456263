// ModelApiServer: lists and watches of one small collection as an API server serves them, with its
// whole history, so that a test can ask what was true when. Pure, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kube/watch/objects_for_test.h"
#include "base/check.h"
#include "base/parse.h"

namespace gs::kube {

class ModelApiServer {
 public:
  struct Object {
    std::string uid;
    std::size_t version = 0;
    friend bool operator==(const Object&, const Object&) = default;
  };
  using State = std::map<std::string, Object>;  // by name

  [[nodiscard]] std::size_t revision() const { return states_.size() - 1; }
  // What there was at that revision.
  [[nodiscard]] const State& At(std::size_t revision) const { return states_.at(revision); }
  [[nodiscard]] const State& Now() const { return states_.back(); }

  // Creates or changes it.
  void Put(const std::string& name) {
    State state = Now();
    const bool is_new = !state.contains(name);
    Object& object = state[name];
    if (is_new) object.uid = "u" + std::to_string(states_.size());
    object.version = states_.size();
    frames_.push_back(FrameText(is_new ? "ADDED" : "MODIFIED", TextOf(name, object)));
    states_.push_back(std::move(state));
  }
  void Delete(const std::string& name) {
    State state = Now();
    auto object = state.extract(name);
    if (object.empty()) return;
    object.mapped().version = states_.size();
    frames_.push_back(FrameText("DELETED", TextOf(name, object.mapped())));
    states_.push_back(std::move(state));
  }
  // Something happens to another kind.
  void Pass() {
    frames_.emplace_back();
    states_.push_back(State(Now()));
  }
  // Forgets what was before that revision.
  void Compact(std::size_t revision) { compacted_ = std::max(compacted_, revision); }
  [[nodiscard]] std::size_t compacted() const { return compacted_; }

  // A page, or nothing where the answer is 410.
  [[nodiscard]] std::optional<std::string> Page(const std::string& token, std::size_t limit) const {
    if (token.empty()) return PageOf(revision(), 0, limit);
    const auto cut = token.find('-');
    return PageOf(Number(token.substr(0, cut)), Number(token.substr(cut + 1)), limit);
  }
  // As if the first page came from a server that lags behind.
  [[nodiscard]] std::optional<std::string> PageOf(std::size_t at, std::size_t begin,
                                                  std::size_t limit) const {
    if (at < compacted_) return std::nullopt;
    std::vector<std::string> items;
    std::size_t position = 0;
    for (const auto& [name, object] : At(at)) {
      if (position >= begin && position < begin + limit) items.push_back(TextOf(name, object));
      ++position;
    }
    const bool is_last = begin + limit >= position;
    return PageText(items, std::to_string(at),
                    is_last ? "" : std::to_string(at) + "-" + std::to_string(begin + limit));
  }

  // Nothing where the answer is 410.
  [[nodiscard]] std::optional<std::vector<std::string>> FramesAfter(std::size_t from) const {
    if (from < compacted_) return std::nullopt;
    std::vector<std::string> frames;
    for (std::size_t at = from + 1; at <= revision(); ++at) {
      // A bookmark where nothing happened to this kind.
      const std::string& frame = frames_.at(at - 1);
      frames.push_back(frame.empty() ? BookmarkText(std::to_string(at)) : frame);
    }
    return frames;
  }

  [[nodiscard]] static std::size_t Number(const std::string& text) {
    const auto number = ParseInt64(text, {.min = 0});
    GS_CHECK(number.ok());
    return static_cast<std::size_t>(*number);
  }

 private:
  static std::string TextOf(const std::string& name, const Object& object) {
    return PodText(name, object.uid, std::to_string(object.version));
  }

  std::vector<State> states_{State{}, State{}};     // by revision; the first one is 1
  std::vector<std::string> frames_{std::string()};  // what led to the state of revision i + 1
  std::size_t compacted_ = 0;
};

}  // namespace gs::kube
