// What is told of a collection is right whatever happens on the way: a random history is served by
// a model of an API server that cuts, refuses, forgets and is restored. RC_PARAMS sets the number
// of cases and the seed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "adapters/kube/api/watch_stream.h"
#include "adapters/kube/watch/model_api_server.h"
#include "adapters/kube/watch/watch_steps.h"

namespace gs::kube {
namespace {

[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "max_success=4000", 0);

using State = ModelApiServer::State;

constexpr std::size_t kPageSize = 2;

// Whoever is told: checks each event against the server's history.
class Listener {
 public:
  explicit Listener(const ModelApiServer& server) : server_(server) {}

  void Hear(const Telling& telling) {
    const auto is_missing = [](const model::Event& event) {
      return std::holds_alternative<model::KindMissing>(event);
    };
    is_missing_ = std::any_of(telling.events.begin(), telling.events.end(), is_missing);
    for (const auto& event : telling.events) {
      std::visit([this](const auto& told) { Hear(told); }, event);
    }
  }

  [[nodiscard]] const State& told() const { return told_; }
  // The newest version that was told.
  [[nodiscard]] std::size_t newest() const { return newest_told_; }

 private:
  void Hear(const model::PodSeen& seen) {
    const std::string& name = seen.pod.ref.name.text();
    const ModelApiServer::Object object{seen.pod.ref.uid.text(),
                                        ModelApiServer::Number(seen.pod.resource_version.text())};
    const auto& then = server_.At(object.version);
    RC_ASSERT(then.contains(name) && then.at(name) == object);
    if (told_.contains(name)) RC_ASSERT(told_.at(name).uid == object.uid);
    RC_ASSERT(object.version > newest_[object.uid]);
    newest_[object.uid] = object.version;
    newest_told_ = std::max(newest_told_, object.version);
    told_[name] = object;
  }
  void Hear(const model::PodGone& gone) {
    const std::string& name = gone.pod.name.text();
    RC_ASSERT(told_.contains(name) && told_.at(name).uid == gone.pod.uid.text());
    const auto there = server_.Now().find(name);
    const bool exists = there != server_.Now().end() && there->second.uid == gone.pod.uid.text();
    RC_ASSERT(!exists || is_missing_);
    told_.erase(name);
    // Who was away because the kind was may come back as it was.
    if (is_missing_) newest_.erase(gone.pod.uid.text());
  }
  void Hear(const model::ViewReached& reached) {
    const std::size_t revision = ModelApiServer::Number(reached.resource_version.text());
    RC_ASSERT(revision >= reached_);
    reached_ = revision;
    newest_told_ = std::max(newest_told_, revision);
    RC_ASSERT(told_ == server_.At(revision));
  }
  void Hear(const model::KindMissing&) { RC_ASSERT(told_.empty()); }
  template <class Other>
  void Hear(const Other&) {
    RC_FAIL("told of another kind");
  }

  const ModelApiServer& server_;
  State told_;
  std::map<std::string, std::size_t> newest_;  // version told, by uid
  std::size_t reached_ = 0;
  std::size_t newest_told_ = 0;
  bool is_missing_ = false;  // the batch that is being told says so
};

// A source of decisions that shrinks well: numbers that are used up, and then zeros, which are the
// decisions for doing nothing special.
class Choices {
 public:
  explicit Choices(std::vector<std::uint16_t> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] bool has_more() const { return next_ < numbers_.size(); }
  std::size_t Below(std::size_t limit) {
    return has_more() ? std::size_t{numbers_[next_++]} % limit : 0;
  }

 private:
  std::vector<std::uint16_t> numbers_;
  std::size_t next_ = 0;
};

class World {
 public:
  explicit World(Choices choices) : choices_(std::move(choices)) {}

  void Run() {
    while (choices_.has_more()) Act();
    is_missing_ = false;
    is_caught_up_ = false;
    for (int i = 0; i < 100 && !is_caught_up_; ++i) Step();
    RC_ASSERT(is_caught_up_);
    RC_ASSERT(listener_->told() == server_.Now());
  }

 private:
  void Act() {
    const std::string name(1, static_cast<char>('a' + choices_.Below(4)));
    switch (choices_.Below(12)) {
      case 1:
      case 2:
      case 3: return server_.Put(name);
      case 4:
      case 5: return server_.Delete(name);
      case 6: return server_.Pass();
      case 7: return server_.Compact(server_.revision() - choices_.Below(4) % server_.revision());
      case 8: return ToggleMissing();
      default: return Step();
    }
  }

  // With a kind that is taken away its objects go, unless it only seemed so.
  void ToggleMissing() {
    is_missing_ = !is_missing_;
    if (!is_missing_ || choices_.Below(2) == 0) return;
    const State state = server_.Now();
    for (const auto& [name, object] : state) server_.Delete(name);
  }

  void Step() {
    is_caught_up_ = false;
    auto step = steps_.Next(now_);
    if (const auto* wait = std::get_if<WaitStep>(&step)) {
      RC_ASSERT(wait->until > now_);
      now_ = wait->until;
      step = steps_.Next(now_);
    }
    std::visit([this](const auto& one) { Do(one); }, step);
    const Telling telling = std::exchange(telling_, {});
    RC_ASSERT(telling.gone_back.has_value() == (old_answers_ == 2));
    if (telling.gone_back) {
      RC_ASSERT(telling.events.empty());
      return BeginAnew();
    }
    listener_->Hear(telling);
  }

  // As a process does that is restarted.
  void BeginAnew() {
    steps_ = WatchSteps(InstalledPods(), {}, 1);
    listener_.emplace(server_);
    old_answers_ = 0;
  }

  // A state that an old answer is of, or a server that was restored: perhaps not older than what
  // was told.
  std::size_t Past() { return server_.revision() - choices_.Below(6) % server_.revision(); }
  void NoteAnswer(std::size_t version) {
    old_answers_ = version < listener_->newest() ? old_answers_ + 1 : 0;
  }

  void Do(const WaitStep&) { RC_FAIL("it has waited"); }
  void Do(const ListStep& step) { List(step); }
  void Do(const WatchStep& step) { Watch(step); }
  void Do(const VersionStep&) {
    switch (choices_.Below(6)) {
      case 1: return RefuseVersion(0);
      case 2: return RefuseVersion(503);
      case 3: return steps_.VersionArrived("{", now_, telling_);
      case 4: return SayVersion(Past());
      default: return is_missing_ ? RefuseVersion(404) : SayVersion(server_.revision());
    }
  }
  void RefuseVersion(int code) {
    steps_.VersionRefused({.code = code, .reason = "version", .retry_after = {}}, now_, telling_);
  }
  void SayVersion(std::size_t version) {
    NoteAnswer(version);
    steps_.VersionArrived(PageText({}, std::to_string(version), ""), now_, telling_);
  }
  void Do(const DiscoverStep&) {
    if (choices_.Below(4) == 1) return steps_.Discovered(Serving::kUnknown, now_, telling_);
    steps_.Discovered(is_missing_ ? Serving::kNotServed : Serving::kServed, now_, telling_);
  }

  void List(const ListStep& step) {
    if (is_missing_) return RefuseList(404);
    switch (choices_.Below(10)) {
      case 1: return RefuseList(0);
      case 2: return RefuseList(410);
      case 3: return RefuseList(503);
      case 4: return steps_.PageArrived("{\"kind\":\"PodList\",", now_, telling_);
      case 5:
        if (step.continue_token.empty()) return ListOfThePast();
        return RefuseList(500);
      case 6: return RefuseList(404);  // somebody else's
      default: return GivePage(server_.Page(step.continue_token, kPageSize));
    }
  }
  // A list of the past that is not older than what was told is as good as any.
  void ListOfThePast() {
    const std::size_t past = Past();
    const auto page = server_.PageOf(past, 0, kPageSize);
    if (page) NoteAnswer(past);
    GivePage(page);
  }
  void GivePage(const std::optional<std::string>& page) {
    if (!page) return RefuseList(410);
    steps_.PageArrived(*page, now_, telling_);
  }
  void RefuseList(int code) {
    steps_.ListRefused({.code = code, .reason = "list", .retry_after = {}}, now_, telling_);
  }

  void Watch(const WatchStep& step) {
    if (is_missing_) return EndWatch(404);
    const auto frames = server_.FramesAfter(ModelApiServer::Number(step.from.text()));
    if (!frames) return choices_.Below(2) == 0 ? EndWatch(410) : Stream(ErrorText(410, "Gone"));
    std::string stream;
    for (const auto& frame : *frames) stream += frame + "\n";
    switch (choices_.Below(6)) {
      case 1: return EndWatch(500);
      case 2: return Stream(stream.substr(0, choices_.Below(stream.size() + 1)));
      case 3: return Stream(stream + ErrorText(500, "InternalError"));
      case 4: return Stream(stream + "{\"type\":");
      default: Stream(stream); is_caught_up_ = true;
    }
  }
  // In pieces of any size. A last line without its end is not complete, unless it is whole.
  void Stream(const std::string& text) {
    WatchStream stream;
    bool is_good = true;
    for (std::size_t begin = 0; begin < text.size() && is_good;) {
      const std::size_t size = 400 - choices_.Below(400);
      is_good = Take(stream, std::string_view(text).substr(begin, size));
      begin += size;
    }
    if (is_good && choices_.Below(2) == 1) is_good = Take(stream, "\n");
    if (is_good && choices_.Below(2) == 1) return EndWatch(0);
    steps_.WatchEnded(std::nullopt, now_, telling_);
  }
  bool Take(WatchStream& stream, std::string_view bytes) {
    const auto goes_on = stream.Append(
        bytes, [&](const WatchFrame& frame) { return steps_.FrameArrived(frame, telling_); });
    if (!goes_on) steps_.StreamLost(goes_on.error());
    steps_.BatchEnded(telling_);
    return goes_on.ok() && *goes_on;
  }
  void EndWatch(int code) {
    steps_.WatchEnded(Refusal{.code = code, .reason = "watch", .retry_after = {}}, now_, telling_);
  }

  static WatchedKind InstalledPods() {
    WatchedKind kind = Pods();
    kind.may_be_missing = true;
    return kind;
  }

  Choices choices_;
  ModelApiServer server_;
  std::optional<Listener> listener_{server_};
  WatchSteps steps_{InstalledPods(), {}, 1};
  Duration now_{1};
  Telling telling_;
  bool is_missing_ = false;
  bool is_caught_up_ = false;  // all there is was streamed
  int old_answers_ = 0;        // in a row, of a state before what was told
};

RC_GTEST_PROP(WatchSteps, WhatIsToldIsWhatIs, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 400);
  World(Choices(*rc::gen::container<std::vector<std::uint16_t>>(
            size, rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint16_t>()))))
      .Run();
}

}  // namespace
}  // namespace gs::kube
