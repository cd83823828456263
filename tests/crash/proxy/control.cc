#include "tests/crash/proxy/control.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/url.h"
#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"
#include "base/parse.h"

namespace gs::crash {
namespace {

namespace asio = boost::asio;
using http::Method;
using http::Response;
using runtime::MutexLock;
using testing::FaultProxy;
using testing::LetGo;

constexpr auto kLookAgain = std::chrono::milliseconds(10);
constexpr IntegerRange kWaitMilliseconds{.min = 0, .max = 600'000};
constexpr IntegerRange kNumbers{.min = 0, .max = std::int64_t{1} << 40};

Response Json(int status, const boost::json::value& value) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = boost::json::serialize(value) + "\n"};
}

Response Done() { return Json(200, boost::json::object()); }
Response Refused(int status, const std::string& reason) {
  return Json(status, boost::json::object{{"error", reason}});
}
Response Refused(const Error& error) { return Refused(400, ToString(error)); }
Response NoSuchPath() { return Refused(404, "there is no such path"); }

// "/held/7/drop?a=b" in its parts.
struct Address {
  std::vector<std::string> path;
  std::map<std::string, std::string> query;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

Result<Address> ReadAddress(std::string_view target) {
  const auto mark = target.find('?');
  Address address{.path = Split(target.substr(0, mark), '/'), .query = {}};
  if (mark == std::string_view::npos) return address;
  for (const std::string& pair : Split(target.substr(mark + 1), '&')) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos) {
      return Error(ErrorKind::kInvalid, "the query has no name=value in " + json::Quoted(pair));
    }
    auto value = http::DecodeQuery(std::string_view(pair).substr(equals + 1));
    if (!value) return std::move(value).error();
    address.query[pair.substr(0, equals)] = *std::move(value);
  }
  return address;
}

Result<std::int64_t> NumberIn(const Address& address, const std::string& name, IntegerRange range) {
  const auto found = address.query.find(name);
  if (found == address.query.end()) return std::int64_t{0};
  auto number = ParseInt64(found->second, range);
  if (!number) return std::move(number).error().Within(name);
  return number;
}

std::optional<LetGo> ParseLetGo(std::string_view word) {
  if (word == "release") return LetGo::kPassOn;
  if (word == "drop") return LetGo::kDrop;
  if (word == "forward_and_drop") return LetGo::kForwardAndDrop;
  return std::nullopt;
}

boost::json::value TextOrNull(const std::optional<std::string>& text) {
  return text ? boost::json::value(*text) : boost::json::value(nullptr);
}

boost::json::object ShowRequest(std::size_t number, const testing::ProxiedRequest& request,
                                const Meeting& meeting) {
  boost::json::array statuses;
  for (const int status : request.statuses) statuses.push_back(status);
  return {{"number", number},
          {"method", http::ToString(request.method)},
          {"target", request.target},
          {"agent", meeting.agent},
          {"rule", TextOrNull(meeting.rule)},
          {"statuses", std::move(statuses)},
          {"time", PrintTime(meeting.time, TimeDetail::kMicros)}};
}

}  // namespace

// What the handlers share. It lives as long as the last of them.
class Control::State {
 public:
  explicit State(FaultProxy& proxy) : proxy_(&proxy) {}

  [[nodiscard]] testing::Fault Meet(const http::Request& request) {
    return book_.Meet(request, clock_.WallTime());
  }

  // A static function, so that its frame keeps the state.
  static asio::awaitable<http::Reply> Handle(std::shared_ptr<State> self, http::Request request) {
    const auto address = ReadAddress(request.target);
    if (!address) co_return Refused(address.error());
    const bool is_held_asked = request.method == Method::kGet && address->path.size() == 1 &&
                               address->path.front() == "held";
    if (is_held_asked) co_return co_await WaitForHeld(self, *address);
    co_return self->Answer(request, *address);
  }

  // From now on there is no proxy.
  void Close() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    proxy_->Decide(nullptr);
    proxy_ = nullptr;
  }

 private:
  Response Answer(const http::Request& request, const Address& address) {
    if (address.path.empty()) return NoSuchPath();
    const std::string& first = address.path.front();
    if (first == "rules") return AnswerRules(request, address);
    if (first == "held") return AnswerHeld(request, address);
    if (first == "cut-watches" && request.method == Method::kPost) return CutWatches(request);
    if (first == "requests" && request.method == Method::kGet) return ListRequests(address);
    return NoSuchPath();
  }

  Response AnswerRules(const http::Request& request, const Address& address) {
    if (address.path.size() == 1) {
      if (request.method == Method::kPost) return AddRule(request);
      if (request.method == Method::kDelete) return book_.RemoveAll(), Done();
      return Refused(400, "rules are made with POST and removed with DELETE");
    }
    if (address.path.size() != 2) return NoSuchPath();
    const std::string& id = address.path[1];
    const auto hits = book_.HitsOf(id);
    if (!hits) return Refused(404, "there is no rule " + id);
    if (request.method == Method::kGet) return Json(200, boost::json::object{{"hits", *hits}});
    if (request.method != Method::kDelete) return Refused(400, "a rule is read or removed");
    (void)book_.Remove(id);
    return Done();
  }

  Response AddRule(const http::Request& request) {
    const auto written = json::ParseJson(request.body);
    if (!written) return Refused(written.error());
    auto rule = ReadRule(*written);
    if (!rule) return Refused(rule.error());
    book_.Add(*std::move(rule));
    return Done();
  }

  Response AnswerHeld(const http::Request& request, const Address& address) GS_EXCLUDES(mutex_) {
    const bool is_word = request.method == Method::kPost && address.path.size() == 3;
    const auto how = is_word ? ParseLetGo(address.path[2]) : std::nullopt;
    if (!how) return Refused(400, "expected POST /held/ID/release, drop or forward_and_drop");
    const auto number = ParseInt64(address.path[1], kNumbers);
    if (!number) return Refused(number.error());
    const MutexLock lock(mutex_);
    const bool is_held = proxy_ && proxy_->Release(static_cast<std::size_t>(*number), *how);
    return is_held ? Done() : Refused(404, "no such request is held");
  }

  Response CutWatches(const http::Request& request) GS_EXCLUDES(mutex_) {
    const auto written = json::ParseJson(request.body.empty() ? "{}" : request.body);
    if (!written) return Refused(written.error());
    json::ObjectReader reader(*written, "");
    const auto pattern = ReadPattern(reader.Text("target"));
    if (auto fine = reader.Finish(); !fine) return Refused(fine.error());
    if (!pattern) return Refused(pattern.error());
    const MutexLock lock(mutex_);
    if (proxy_) {
      proxy_->CutWatches(
          [&](const std::string& target) { return boost::regex_search(target, *pattern); });
    }
    return Done();
  }

  Response ListRequests(const Address& address) GS_EXCLUDES(mutex_) {
    const auto since = NumberIn(address, "since", kNumbers);
    if (!since) return Refused(since.error());
    auto number = static_cast<std::size_t>(*since);
    const auto requests = RequestsSince(number);
    const auto meetings = book_.meetings(number);
    boost::json::array shown;
    for (std::size_t i = 0; i < requests.size() && i < meetings.size(); ++i) {
      shown.push_back(ShowRequest(number++, requests[i], meetings[i]));
    }
    return Json(200, boost::json::object{{"next", number}, {"requests", std::move(shown)}});
  }

  std::vector<testing::ProxiedRequest> RequestsSince(std::size_t number) GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return proxy_ ? proxy_->requests(number) : std::vector<testing::ProxiedRequest>();
  }

  std::vector<testing::HeldRequest> Held() GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return proxy_ ? proxy_->held() : std::vector<testing::HeldRequest>();
  }

  // Those of one rule, or of any.
  boost::json::array ShowHeld(const std::string& rule) {
    boost::json::array shown;
    for (const auto& held : Held()) {
      const Meeting meeting = book_.MeetingOf(held.number);
      if (!rule.empty() && meeting.rule != rule) continue;
      shown.push_back(boost::json::object{{"id", std::to_string(held.number)},
                                          {"rule", TextOrNull(meeting.rule)},
                                          {"method", http::ToString(held.request.method)},
                                          {"target", held.request.target},
                                          {"client", meeting.agent},
                                          {"body", held.request.body}});
    }
    return shown;
  }

  static asio::awaitable<http::Reply> WaitForHeld(std::shared_ptr<State> self, Address address) {
    const auto wait = NumberIn(address, "wait_ms", kWaitMilliseconds);
    if (!wait) co_return Refused(wait.error());
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(*wait);
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto shown = self->ShowHeld(address.query["rule"]);
    while (shown.empty() && std::chrono::steady_clock::now() < until) {
      timer.expires_after(kLookAgain);
      co_await timer.async_wait(asio::use_awaitable);
      shown = self->ShowHeld(address.query["rule"]);
    }
    co_return Json(200, boost::json::object{{"held", std::move(shown)}});
  }

  const runtime::SystemClock clock_;
  RuleBook book_;
  runtime::Mutex mutex_;
  FaultProxy* proxy_ GS_GUARDED_BY(mutex_);  // null once this is closed
};

Result<std::unique_ptr<Control>> Control::Start(runtime::IoThreads& threads, FaultProxy& proxy) {
  auto state = std::make_shared<State>(proxy);
  auto server = http::Server::Start(threads, {}, [state](http::Request request) {
    return State::Handle(state, std::move(request));
  });
  if (!server) return std::move(server).error();
  proxy.Decide([state](const http::Request& request, std::size_t) { return state->Meet(request); });
  return std::unique_ptr<Control>(new Control(std::move(state), *std::move(server)));
}

Control::Control(std::shared_ptr<State> state, std::unique_ptr<http::Server> server)
    : state_(std::move(state)), server_(std::move(server)) {}

Control::~Control() {
  server_->Shutdown(Duration(0));
  state_->Close();
}

}  // namespace gs::crash
