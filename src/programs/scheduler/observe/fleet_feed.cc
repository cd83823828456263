#include "programs/scheduler/observe/fleet_feed.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace gs::scheduler {
namespace {

namespace asio = boost::asio;

std::string StreamEvent(std::string_view name, std::string_view line) {
  std::string text = "event: ";
  text.append(name).append("\ndata: ").append(line).append("\n\n");
  return text;
}

// Ends early when the server shuts down.
asio::awaitable<void> Pause(Duration time, const std::stop_token& stop) {
  const auto timer = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, time);
  const std::stop_callback wake(
      stop, [timer] { asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  boost::system::error_code cancelled;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

}  // namespace

class FleetFeed::Seat {
 public:
  explicit Seat(std::shared_ptr<FleetFeed> feed) : feed_(std::move(feed)) {}
  ~Seat() { feed_->Leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  Seat(Seat&&) = delete;
  Seat& operator=(Seat&&) = delete;

 private:
  const std::shared_ptr<FleetFeed> feed_;
};

std::shared_ptr<const Fleet> FleetFeed::Recent() {
  const runtime::MutexLock lock(mutex_);
  const bool is_recent = last_ && std::chrono::steady_clock::now() - taken_ < parts_.period / 2;
  return is_recent ? last_ : nullptr;
}

asio::awaitable<std::shared_ptr<const Fleet>> FleetFeed::Take() {
  if (auto recent = Recent()) co_return recent;
  const std::function<FleetReport(const cycle::Cycle&)> read =
      [&parts = parts_](const cycle::Cycle& cycle) {
        return ReportFleet(cycle, parts.placeable, parts.clock.WallTime());
      };
  const auto report = co_await Ask<FleetReport>(parts_.questions, parts_.patience, read);
  if (!report) co_return nullptr;
  auto fleet = std::make_shared<const Fleet>(PrintFleet(*report));
  Remember(fleet);
  co_return fleet;
}

void FleetFeed::Remember(std::shared_ptr<const Fleet> fleet) {
  const runtime::MutexLock lock(mutex_);
  last_ = std::move(fleet);
  taken_ = std::chrono::steady_clock::now();
}

bool FleetFeed::Enter() {
  const runtime::MutexLock lock(mutex_);
  if (watchers_ >= parts_.most_watchers) return false;
  ++watchers_;
  return true;
}

void FleetFeed::Leave() {
  const runtime::MutexLock lock(mutex_);
  --watchers_;
}

std::optional<http::Reply> FleetFeed::Watch() {
  if (!Enter()) return std::nullopt;
  http::Response head{
      .status = 200,
      .headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}},
      .body = ""};
  return http::Reply(
      std::move(head),
      [self = shared_from_this(), seat = std::make_shared<const Seat>(shared_from_this())](
          http::BodyWriter& writer) { return self->Stream(seat, writer); });
}

asio::awaitable<void> FleetFeed::Stream(std::shared_ptr<const Seat> /*seat*/,
                                        http::BodyWriter& writer) {
  std::shared_ptr<const Fleet> told;
  while (!writer.stop().stop_requested()) {
    auto now = co_await Take();
    std::string text = ": the scheduler is busy\n\n";
    if (now) {
      text = told ? StreamEvent("change", FleetChange(*told, *now))
                  : StreamEvent("fleet", WholeFleet(*now));
      told = std::move(now);
    }
    if (!co_await writer.Write(std::move(text))) co_return;
    co_await Pause(parts_.period, writer.stop());
  }
}

}  // namespace gs::scheduler
