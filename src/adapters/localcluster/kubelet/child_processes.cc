#include "adapters/localcluster/kubelet/child_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "adapters/runtime/mutex.h"

namespace gs::localcluster {
namespace {

namespace asio = boost::asio;
using Strand = asio::strand<asio::io_context::executor_type>;
using Descriptor = asio::posix::basic_stream_descriptor<Strand>;

std::string LastError() { return std::strerror(errno); }

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> Spawn(const Program& program, int out, int error_out) {
  std::vector<std::string> argv = program.argv;
  std::vector<std::string> environment;
  for (const auto& [name, value] : program.environment) environment.push_back(name + "=" + value);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error_out, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A program of ours may have blocked signals that its children need.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes,
                                 Pointers(argv).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  const auto kind = error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kUnavailable;
  return Error(kind, argv[0] + " cannot be started: " + std::strerror(error));
}

int ExitCode(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// One program. Everything happens on its strand; its end is told when the process is gone and both
// outputs have ended.
class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(asio::io_context& context, ChildProcesses::Told told)
      : strand_(asio::make_strand(context)),
        out_(strand_),
        error_out_(strand_),
        process_(strand_),
        told_(std::move(told)) {}

  Result<void> Start(const Program& program) {
    std::array<int, 2> out{};
    std::array<int, 2> error_out{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) {
      return Error(ErrorKind::kUnavailable, "no pipe: " + LastError());
    }
    out_.assign(out[0]);
    if (pipe2(error_out.data(), O_CLOEXEC) != 0) {
      close(out[1]);
      return Error(ErrorKind::kUnavailable, "no pipe: " + LastError());
    }
    error_out_.assign(error_out[0]);
    const auto pid = Spawn(program, out[1], error_out[1]);
    close(out[1]);
    close(error_out[1]);
    if (!pid) return pid.error();
    pid_ = *pid;
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    if (process < 0) {
      const std::string why = LastError();
      Reap();
      return Error(ErrorKind::kUnavailable, "cannot be waited for: " + why);
    }
    process_.assign(process);
    asio::post(strand_, [self = shared_from_this()] {
      self->Read(self->out_, self->out_bytes_, ContainerLog::Output::kOut);
      self->Read(self->error_out_, self->error_bytes_, ContainerLog::Output::kError);
      self->AwaitEnd();
    });
    return {};
  }

  // On any thread. The group outlives the first process only while it has members, and its number
  // is not used again before the process was waited for, which happens under the same lock.
  void Signal(int signal) {
    const runtime::MutexLock lock(mutex_);
    if (!is_reaped_) kill(-pid_, signal);
  }

 private:
  void Read(Descriptor& from, std::array<char, 4096>& bytes, ContainerLog::Output output) {
    from.async_read_some(asio::buffer(bytes),
                         [self = shared_from_this(), &from, &bytes, output](
                             boost::system::error_code error, std::size_t count) {
                           if (count > 0)
                             self->told_.output(output, std::string_view(bytes.data(), count));
                           if (error) return self->PartEnded();
                           self->Read(from, bytes, output);
                         });
  }

  void AwaitEnd() {
    process_.async_wait(Descriptor::wait_read,
                        [self = shared_from_this()](boost::system::error_code) {
                          self->Reap();
                          self->PartEnded();
                        });
  }

  // Children of its own that hold the outputs open are ended with it, as in a container.
  void Reap() {
    const runtime::MutexLock lock(mutex_);
    kill(-pid_, SIGKILL);
    exit_code_ = ExitCode(pid_);
    is_reaped_ = true;
  }

  void PartEnded() {
    if (--parts_ > 0) return;
    process_.close();
    told_.exit(exit_code_);
    told_ = {};
  }

  Strand strand_;
  Descriptor out_;
  Descriptor error_out_;
  Descriptor process_;
  std::array<char, 4096> out_bytes_{};
  std::array<char, 4096> error_bytes_{};
  ChildProcesses::Told told_;
  int parts_ = 3;
  int exit_code_ = 0;
  pid_t pid_ = -1;
  runtime::Mutex mutex_;
  bool is_reaped_ GS_GUARDED_BY(mutex_) = false;
};

}  // namespace

struct ChildProcesses::State {
  explicit State(asio::io_context& used) : context(used) {}

  asio::io_context& context;
  runtime::Mutex mutex;
  Id next GS_GUARDED_BY(mutex) = 1;
  std::map<Id, std::weak_ptr<Child>> children GS_GUARDED_BY(mutex);
};

ChildProcesses::ChildProcesses(runtime::IoThreads& threads)
    : state_(std::make_shared<State>(threads.context())) {}

ChildProcesses::~ChildProcesses() {
  const runtime::MutexLock lock(state_->mutex);
  for (const auto& [id, each] : state_->children) {
    if (const auto child = each.lock()) child->Signal(SIGKILL);
  }
}

Result<ChildProcesses::Id> ChildProcesses::Start(const Program& program, Told told) {
  if (program.argv.empty()) return Error(ErrorKind::kInvalid, "no command");
  auto child = std::make_shared<Child>(state_->context, std::move(told));
  auto started = child->Start(program);
  if (!started) return std::move(started).error();
  const runtime::MutexLock lock(state_->mutex);
  std::erase_if(state_->children, [](const auto& each) { return each.second.expired(); });
  state_->children.emplace(state_->next, child);
  return state_->next++;
}

void ChildProcesses::Signal(Id id, int signal) {
  std::shared_ptr<Child> child;
  {
    const runtime::MutexLock lock(state_->mutex);
    const auto found = state_->children.find(id);
    if (found != state_->children.end()) child = found->second.lock();
  }
  if (child) child->Signal(signal);
}

}  // namespace gs::localcluster
