#include "adapters/kube/login/run_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

extern char** environ;

namespace gs::kube {
namespace {

using Clock = std::chrono::steady_clock;

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int number) : number_(number) {}
  FileHandle(FileHandle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() { Close(); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  void Close() {
    if (is_open()) close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

struct Pipe {
  FileHandle read;
  FileHandle write;
};

std::string LastError() { return std::strerror(errno); }

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error(ErrorKind::kUnavailable, "no pipe: " + LastError());
  }
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

// Our own environment with the additions, as "NAME=value".
std::vector<std::string> EnvironmentWith(const ProcessCall& call) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto sign = text.find('=');
    if (sign != std::string_view::npos)
      variables[std::string(text.substr(0, sign))] = text.substr(sign + 1);
  }
  for (const auto& [name, value] : call.env) variables[name] = value;
  std::vector<std::string> lines;
  lines.reserve(variables.size());
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A child in a process group of its own, so that its children can be ended with it. Whoever
// forgets to wait still leaves no process behind.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    (void)Wait();
  }

  [[nodiscard]] int Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

Result<pid_t> Spawn(const ProcessCall& call, const Pipe& out, const Pipe& err) {
  std::vector<std::string> args = call.args;
  args.insert(args.begin(), call.command);
  std::vector<std::string> env = EnvironmentWith(call);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.number(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, call.command.c_str(), &actions, &attributes,
                                 Pointers(args).data(), Pointers(env).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  const ErrorKind kind = error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kUnavailable;
  return Error(kind, std::string("cannot be started: ") + std::strerror(error));
}

// Takes what is there; closes the handle at its end.
void Drain(FileHandle& from, std::string& into) {
  std::array<char, 4096> bytes{};
  const ssize_t count = read(from.number(), bytes.data(), bytes.size());
  if (count > 0) into.append(bytes.data(), static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR)) from.Close();
}

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

Error TookTooLong() { return Error(ErrorKind::kUnavailable, "took too long and was ended"); }

// Reads both outputs until both end.
Result<void> Collect(FileHandle& out, FileHandle& err, Clock::time_point deadline,
                     ProcessEnd& end) {
  while (out.is_open() || err.is_open()) {
    if (Clock::now() >= deadline) return TookTooLong();
    // poll leaves out what is closed: its number is -1.
    std::array<pollfd, 2> waits{pollfd{out.number(), POLLIN, 0}, pollfd{err.number(), POLLIN, 0}};
    if (poll(waits.data(), waits.size(), MillisecondsUntil(deadline)) <= 0) continue;
    if (waits[0].revents != 0) Drain(out, end.stdout_text);
    if (waits[1].revents != 0) Drain(err, end.stderr_text);
    if (std::max(end.stdout_text.size(), end.stderr_text.size()) > kMaxOutputBytes) {
      return Error(ErrorKind::kInvalid, "printed more than any answer needs");
    }
  }
  return {};
}

// A program may close its outputs and still run on.
Result<void> AwaitEnd(pid_t pid, Clock::time_point deadline) {
  const FileHandle process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_open())
    return Error(ErrorKind::kUnavailable, "cannot be waited for: " + LastError());
  pollfd wait{process.number(), POLLIN, 0};
  while (poll(&wait, 1, MillisecondsUntil(deadline)) <= 0) {
    if (Clock::now() >= deadline) return TookTooLong();
  }
  return {};
}

}  // namespace

Result<ProcessEnd> RunProcess(const ProcessCall& call) {
  auto out = MakePipe();
  if (!out) return std::move(out).error();
  auto err = MakePipe();
  if (!err) return std::move(err).error();
  const auto deadline = Clock::now() + call.timeout;
  const auto pid = Spawn(call, *out, *err);
  if (!pid) return pid.error();
  Child child(*pid);
  // Or its end would never be seen: we would hold the pipe open ourselves.
  out->write.Close();
  err->write.Close();
  ProcessEnd end;
  auto done = Collect(out->read, err->read, deadline, end);
  if (done) done = AwaitEnd(*pid, deadline);
  if (!done) return std::move(done).error();
  end.exit_code = child.Wait();
  return end;
}

}  // namespace gs::kube
