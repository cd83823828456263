#include "adapters/localcluster/kubelet/container_log.h"

#include <algorithm>
#include <utility>

namespace gs::localcluster {
namespace {

// A program that never ends a line must not grow without bound either.
constexpr std::size_t kMaxLine = std::size_t{16} << 10;

}  // namespace

void ContainerLog::AddLine(std::string text, TimePoint now) {
  bytes_ += text.size();
  lines_.push_back({.number = next_++, .time = now, .text = std::move(text)});
  while (bytes_ > max_bytes_ && lines_.size() > 1) {
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
  }
}

void ContainerLog::Append(Output output, std::string_view bytes, TimePoint now) {
  {
    const runtime::MutexLock lock(mutex_);
    std::string& begun = begun_[output == Output::kError ? 1 : 0];
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      begun += bytes.substr(0, end);
      const bool is_whole = end != std::string_view::npos;
      bytes.remove_prefix(is_whole ? end + 1 : bytes.size());
      if (is_whole || begun.size() >= kMaxLine) AddLine(std::exchange(begun, {}), now);
    }
  }
  WakeUp();
}

void ContainerLog::Close(TimePoint now) {
  {
    const runtime::MutexLock lock(mutex_);
    for (std::string& begun : begun_) {
      if (!begun.empty()) AddLine(std::exchange(begun, {}), now);
    }
    is_closed_ = true;
  }
  WakeUp();
}

ContainerLog::Page ContainerLog::Read(std::uint64_t from) const {
  const runtime::MutexLock lock(mutex_);
  Page page{.next = next_, .is_closed = is_closed_};
  for (const Line& line : lines_) {
    if (line.number >= from) page.lines.push_back(line);
  }
  return page;
}

ContainerLog::WakeHandle ContainerLog::OnChange(Wake wake) {
  auto handle = std::make_shared<const Wake>(std::move(wake));
  const runtime::MutexLock lock(mutex_);
  std::erase_if(wakes_, [](const auto& each) { return each.expired(); });
  wakes_.push_back(handle);
  return handle;
}

void ContainerLog::WakeUp() {
  std::vector<WakeHandle> awake;
  {
    const runtime::MutexLock lock(mutex_);
    for (const auto& each : wakes_) {
      if (auto handle = each.lock()) awake.push_back(std::move(handle));
    }
  }
  for (const auto& wake : awake) (*wake)();
}

std::uint64_t FirstLine(const ContainerLog::Page& page, const LogRequest& request) {
  std::uint64_t first = page.lines.empty() ? page.next : page.lines.front().number;
  if (request.tail_lines) {
    const auto kept = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *request.tail_lines));
    first = std::max(first, page.next - std::min(page.next, kept));
  }
  for (const auto& line : page.lines) {
    if (request.since && line.time < *request.since) first = std::max(first, line.number + 1);
  }
  return first;
}

std::string PrintLine(const ContainerLog::Line& line, const LogRequest& request) {
  const std::string time =
      request.has_timestamps ? PrintTime(line.time, TimeDetail::kNanos) + " " : std::string();
  return time + line.text + "\n";
}

}  // namespace gs::localcluster
