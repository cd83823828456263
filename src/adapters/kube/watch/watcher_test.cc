// The watcher over real sockets, against a server that follows a script.
#include "adapters/kube/watch/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>

#include "adapters/http/server.h"
#include "adapters/kube/watch/objects_for_test.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"

namespace gs::kube {
namespace {

namespace asio = boost::asio;
using runtime::MutexLock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

// Returns when the server shuts down, or the client is gone.
asio::awaitable<void> HoldOpen(http::BodyWriter& writer) {
  asio::steady_timer never(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  const std::stop_callback stop(
      writer.stop(), [&never] { asio::post(never.get_executor(), [&never] { never.cancel(); }); });
  co_await never.async_wait(asio::as_tuple(asio::use_awaitable));
}

enum class End : std::uint8_t { kClean, kCut, kOpen };

// One answer of the script: a response, or pieces of a stream.
struct Answer {
  http::Response response;
  std::vector<std::string> pieces;
  std::optional<End> end;  // of a stream
};

// Where an API server says what it serves, it does not name our kind.
constexpr const char* kOtherGroups = R"({"kind":"APIGroupList","groups":[{"name":"apps"}]})";

Answer Body(std::string body) { return {{.body = std::move(body)}, {}, {}}; }
Answer Status(int code, http::Headers headers = {}) {
  return {{.status = code, .headers = std::move(headers)}, {}, {}};
}
Answer Pieces(std::vector<std::string> pieces, End end) { return {{}, std::move(pieces), end}; }

// Gives its answers in order, whatever is asked; after the last, streams without an end.
class Script {
 public:
  explicit Script(std::vector<Answer> answers) : answers_(answers.begin(), answers.end()) {}

  asio::awaitable<http::Reply> Handle(http::Request request) {
    Answer answer = Next(std::move(request.target));
    if (!answer.end) co_return std::move(answer.response);
    co_return http::Reply({}, [this, pieces = std::move(answer.pieces), end = *answer.end](
                                  http::BodyWriter& writer) { return Write(pieces, end, writer); });
  }

  Words targets() {
    const MutexLock lock(mutex_);
    return targets_;
  }
  // Good once a client did not take a piece in time.
  std::future<void> slow_client() { return slow_client_.get_future(); }

 private:
  Answer Next(std::string target) {
    const MutexLock lock(mutex_);
    targets_.push_back(std::move(target));
    if (answers_.empty()) return Pieces({}, End::kOpen);
    Answer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  asio::awaitable<void> Write(std::vector<std::string> pieces, End end, http::BodyWriter& writer) {
    for (std::string& piece : pieces) {
      if (co_await writer.Write(std::move(piece))) continue;
      slow_client_.set_value();
      co_return;
    }
    if (end == End::kCut) throw std::runtime_error("cut");
    if (end == End::kOpen) co_await HoldOpen(writer);
  }

  runtime::Mutex mutex_;
  std::deque<Answer> answers_ GS_GUARDED_BY(mutex_);
  Words targets_ GS_GUARDED_BY(mutex_);
  std::promise<void> slow_client_;
};

// What was told, as words.
class Heard {
 public:
  void Add(const Words& words) {
    const MutexLock lock(mutex_);
    words_.insert(words_.end(), words.begin(), words.end());
    changed_.NotifyAll();
  }
  // Those so far, once there are that many.
  Words First(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    const MutexLock lock(mutex_);
    while (words_.size() < count) {
      if (!changed_.WaitUntil(mutex_, deadline)) break;
    }
    return words_;
  }

 private:
  runtime::Mutex mutex_;
  runtime::Condition changed_;
  Words words_ GS_GUARDED_BY(mutex_);
};

WatcherOptions QuickOptions() {
  WatcherOptions options;
  options.page_size = 2;
  options.times.backoff = {.first = milliseconds(1), .max = milliseconds(20)};
  options.times.missing_period = milliseconds(1);
  return options;
}

class WatcherTest : public testing::Test {
 protected:
  void Serve(std::vector<Answer> answers, http::ServerOptions options = {}) {
    script_.emplace(std::move(answers));
    auto server = http::Server::Start(threads_, std::move(options), [this](http::Request request) {
      return script_->Handle(std::move(request));
    });
    ASSERT_TRUE(server.ok()) << server.error();
    server_ = *std::move(server);
    auto client = ApiClient::Create(
        threads_, {.server = "http://127.0.0.1:" + std::to_string(server_->port())},
        std::make_unique<FixedLogin>(Login{}), clock_);
    ASSERT_TRUE(client.ok()) << client.error();
    client_ = *std::move(client);
  }
  // In pages.
  void Watch(WatcherOptions options = QuickOptions()) {
    WatchedKind kind = Pods();
    kind.is_streamed = false;
    Watch(std::move(kind), std::move(options));
  }
  void Watch(WatchedKind kind, WatcherOptions options = QuickOptions()) {
    kind.may_be_missing = true;
    options.gone_back = [this](const Error& why) { gone_back_.Add({ToString(why)}); };
    watcher_.emplace(
        *client_, clock_, std::move(kind), options,
        [this](const std::vector<model::Event>& events) { Hear(events); },
        [this](const Error& problem) { problems_.Add({ToString(problem)}); });
  }
  void Hear(const std::vector<model::Event>& events) {
    Words words = WordsOf(events);
    // How far frames have brought the view depends on how the network has cut them.
    const std::string& before = words.size() > 1 ? words[words.size() - 2] : words.back();
    const auto version = before.find('@');
    if (version != std::string::npos && words.back() == "=" + before.substr(version + 1)) {
      progress_.Add({words.back()});
      words.pop_back();
    }
    heard_.Add(words);
    if (words.front() == slow_at_) go_on_.wait();
  }

  // What the handlers and sinks use comes before the threads that run them.
  runtime::SystemClock clock_;
  Heard heard_;
  Heard progress_;
  Heard problems_;
  Heard gone_back_;
  std::string slow_at_;  // after this word the sink waits until it may go on
  std::latch go_on_{1};
  std::optional<Script> script_;
  runtime::IoThreads threads_{2};
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<ApiClient> client_;
  std::optional<Watcher> watcher_;
};

std::string Added(const std::string& name, const std::string& uid, const std::string& version) {
  return FrameText("ADDED", PodText(name, uid, version)) + "\n";
}

TEST_F(WatcherTest, ListsPageByPageAndThenWatches) {
  const std::string frames = Added("c", "3", "10") + Added("d", "4", "11");
  Serve({Body(PageText({PodText("a", "1", "3")}, "9", "more")),
         Body(PageText({PodText("b", "2", "4")}, "9")),
         Pieces({frames.substr(0, 40), frames.substr(40), BookmarkText("20") + "\n"}, End::kOpen)});
  Watch();
  EXPECT_THAT(heard_.First(6), ElementsAre("a/1@3", "b/2@4", "=9", "c/3@10", "d/4@11", "=20"));
  watcher_.reset();
  EXPECT_THAT(script_->targets(),
              ElementsAre("/api/v1/pods?limit=2", "/api/v1/pods?limit=2&continue=more",
                          "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=9"
                          "&timeoutSeconds=480"));
}

TEST_F(WatcherTest, AStreamedListIsAskedForAsOneAndBegunAgainWhereItBreaksOff) {
  const std::string list = PageText({PodText("a", "1", "3"), PodText("b", "2", "4")}, "9");
  Serve({Pieces({list.substr(0, list.size() / 2)}, End::kCut), Status(503),
         Pieces({list.substr(0, 30), list.substr(30)}, End::kClean)});
  Watch(Pods());
  EXPECT_THAT(heard_.First(3), ElementsAre("a/1@3", "b/2@4", "=9"));
  EXPECT_THAT(problems_.First(2),
              ElementsAre(HasSubstr("listing pods: "), HasSubstr("listing pods: ")));
  EXPECT_THAT(script_->targets().at(2), "/api/v1/pods");
}

TEST_F(WatcherTest, AStreamedListThatIsNoneIsAProblem) {
  Serve({Body("<html>"),
         Body(R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[7]})"),
         Body(PageText({PodText("a", "1", "3")}, "9"))});
  Watch(Pods());
  EXPECT_THAT(heard_.First(2), ElementsAre("a/1@3", "=9"));
  EXPECT_THAT(problems_.First(2), ElementsAre(HasSubstr("listing pods: list: "),
                                              HasSubstr("expected a list of objects")));
}

TEST_F(WatcherTest, FramesBringTheViewForward) {
  Serve({Body(PageText({}, "9")), Pieces({Added("a", "1", "10")}, End::kOpen)});
  Watch();
  EXPECT_THAT(progress_.First(1), ElementsAre("=10"));
}

TEST_F(WatcherTest, ARefreshListsAgainWhateverIsGoingOn) {
  Serve({Body(PageText({PodText("a", "1", "3")}, "9")), Pieces({Added("b", "2", "10")}, End::kOpen),
         Body(PageText({PodText("c", "3", "15")}, "20")), Pieces({}, End::kOpen)});
  Watch();
  EXPECT_THAT(heard_.First(3), ElementsAre("a/1@3", "=9", "b/2@10"));
  watcher_->Refresh();
  EXPECT_THAT(heard_.First(7),
              ElementsAre("a/1@3", "=9", "b/2@10", "c/3@15", "-a/1", "-b/2", "=20"));
}

TEST_F(WatcherTest, AFrameThatIsCutComesAgain) {
  const std::string second = Added("b", "2", "11");
  Serve({Body(PageText({}, "9")),
         Pieces({Added("a", "1", "10") + second.substr(0, second.size() / 2)}, End::kCut),
         Body(PageText({}, "10")), Pieces({second}, End::kOpen)});
  Watch();
  EXPECT_THAT(heard_.First(3), ElementsAre("=9", "a/1@10", "b/2@11"));
  EXPECT_THAT(script_->targets().at(2), "/api/v1/pods?limit=1");
  EXPECT_THAT(script_->targets().at(3), HasSubstr("resourceVersion=10"));
  EXPECT_THAT(problems_.First(1), ElementsAre(HasSubstr("watching pods: ")));
}

TEST_F(WatcherTest, AWatchThatEndsGoesOn) {
  Serve({Body(PageText({}, "9")), Pieces({Added("a", "1", "10")}, End::kClean),
         Body(PageText({}, "11")), Pieces({Added("b", "2", "11")}, End::kClean),
         Body(PageText({}, "12")), Pieces({Added("c", "3", "12")}, End::kOpen)});
  Watch();
  EXPECT_THAT(heard_.First(4), ElementsAre("=9", "a/1@10", "b/2@11", "c/3@12"));
}

TEST_F(WatcherTest, AServerThatWasRestoredIsToldOnceAndNothingElseIs) {
  Serve({Body(PageText({PodText("a", "1", "3")}, "9")),
         Pieces({BookmarkText("20") + "\n"}, End::kCut), Status(503), Body(PageText({}, "12")),
         Body(PageText({}, "13"))});
  Watch();
  EXPECT_THAT(gone_back_.First(1), ElementsAre(HasSubstr("version 13, which is older")));
  watcher_->Refresh();
  watcher_.reset();
  EXPECT_THAT(gone_back_.First(1), ::testing::SizeIs(1));
  EXPECT_THAT(heard_.First(3), ElementsAre("a/1@3", "=9", "=20"));
}

TEST_F(WatcherTest, AVersionThatIsTooOldMeansANewList) {
  Serve({Body(PageText({PodText("a", "1", "3")}, "9")), Status(410),
         Body(PageText({PodText("b", "2", "15")}, "20")),
         Pieces({ErrorText(410, "Expired") + "\n" + Added("x", "8", "21")}, End::kOpen),
         Body(PageText({PodText("c", "3", "25")}, "30"))});
  Watch();
  EXPECT_THAT(heard_.First(8),
              ElementsAre("a/1@3", "=9", "b/2@15", "-a/1", "=20", "c/3@25", "-b/2", "=30"));
}

TEST_F(WatcherTest, ABrokenFrameIsAProblemAndTheWatchGoesOn) {
  Serve({Body(PageText({}, "9")),
         Pieces({Added("a", "1", "10") + "{\"type\":\n" + Added("x", "8", "12")}, End::kOpen),
         Body(PageText({}, "12")), Pieces({Added("b", "2", "11")}, End::kOpen)});
  Watch();
  EXPECT_THAT(heard_.First(3), ElementsAre("=9", "a/1@10", "b/2@11"));
  EXPECT_THAT(problems_.First(1), ElementsAre(HasSubstr("watching pods: watch: ")));
}

TEST_F(WatcherTest, AMissingKindAppears) {
  WatchedKind kind = Pods();
  kind.collection.resource = kClaims;
  kind.is_streamed = false;
  Serve({Status(404), Status(404), Body(kOtherGroups), Status(404),
         Body(PageText({PodText("a", "1", "3")}, "9"))});
  Watch(std::move(kind));
  EXPECT_THAT(heard_.First(3), ElementsAre("missing", "a/1@3", "=9"));
  watcher_.reset();
  const Words targets = script_->targets();
  EXPECT_EQ(Words(targets.begin() + 1, targets.begin() + 3),
            (Words{"/apis/gpu.scheduling/v1", "/apis"}));
  EXPECT_THAT(problems_.First(0), IsEmpty());
}

TEST_F(WatcherTest, A404OfSomebodyElseSaysNothingAboutAKind) {
  const Answer kinds = Body(R"({"kind":"APIResourceList","resources":[{"name":"pods"}]})");
  Serve({Body(PageText({PodText("a", "1", "3")}, "9")), Status(404), Status(404), Status(404),
         Status(404), Status(404), kinds, Body(PageText({PodText("a", "1", "3")}, "11"))});
  Watch();
  EXPECT_THAT(heard_.First(3), ElementsAre("a/1@3", "=9", "=11"));
  EXPECT_THAT(problems_.First(2), ElementsAre(HasSubstr("could not be found out"),
                                              HasSubstr("says that it serves the kind")));
}

TEST_F(WatcherTest, RefusalsAreProblemsAndAreTriedAgain) {
  Serve({Status(403), Status(503, {{"Retry-After", "0"}}), Body(PageText({}, "9"))});
  Watch();
  EXPECT_THAT(heard_.First(1), ElementsAre("=9"));
  EXPECT_THAT(problems_.First(2),
              ElementsAre(HasSubstr("listing pods: 403"), HasSubstr("listing pods: 503")));
}

TEST_F(WatcherTest, ASilentStreamIsGivenUp) {
  Serve({Body(PageText({}, "9")), Pieces({}, End::kOpen), Body(PageText({}, "10")),
         Pieces({Added("a", "1", "10")}, End::kOpen)});
  WatcherOptions options = QuickOptions();
  options.idle_timeout = milliseconds(20);
  Watch(options);
  EXPECT_THAT(heard_.First(2), ElementsAre("=9", "a/1@10"));
}

// The server has far more than fits between the two, and gives up on the slow client: so while the
// sink works nothing is read. What was lost with the connection comes again, and nothing twice.
TEST_F(WatcherTest, ASlowSinkHoldsTheServerBackAndMissesNothing) {
  constexpr int kFrames = 40;
  const std::string padding(std::size_t{1} << 20, ' ');
  std::vector<std::string> large;
  std::string small;
  Words want{"=9"};
  for (int i = 0; i < kFrames; ++i) {
    const std::string uid = std::to_string(i);
    const std::string version = std::to_string(10 + i);
    const std::string frame = FrameText("ADDED", PodText("a" + uid, uid, version));
    large.push_back(frame + (i == 0 ? "" : padding) + "\n");
    small += frame + "\n";
    want.push_back("a" + uid + "/" + uid + "@" + version);
  }
  slow_at_ = want[1];
  Serve({Body(PageText({}, "9")), Pieces(std::move(large), End::kOpen), Body(PageText({}, "49")),
         Pieces({small}, End::kOpen)},
        {.write_timeout = milliseconds(300)});
  Watch();
  script_->slow_client().wait();
  EXPECT_THAT(heard_.First(2), ElementsAre("=9", want[1]));
  go_on_.count_down();
  EXPECT_THAT(heard_.First(want.size()), ElementsAreArray(want));
}

TEST_F(WatcherTest, EndsWhileAStreamIsSilent) {
  Serve({Body(PageText({}, "9"))});
  Watch();
  (void)heard_.First(1);
  watcher_.reset();
}

TEST_F(WatcherTest, EndsWhileItWaits) {
  Serve({Status(503, {{"Retry-After", "3600"}})});
  Watch();
  (void)problems_.First(1);
  watcher_.reset();
}

TEST_F(WatcherTest, EndsWhileThereIsNoAnswerAndIsSilentAboutIt) {
  Serve({Pieces({"{"}, End::kOpen)});
  Watch();
  watcher_.reset();
  EXPECT_THAT(problems_.First(0), IsEmpty());
}

}  // namespace
}  // namespace gs::kube
