#include "programs/local/background.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <initializer_list>
#include <ostream>
#include <system_error>

#include "base/check.h"

namespace gs::local {
namespace {

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

// So that nobody who waits for the end of our output waits for the cluster's end.
Result<void> Redirect(const char* file, int flags, std::initializer_list<int> standard) {
  constexpr int kOnlyOwner = 0600;
  const int descriptor = open(file, flags | O_CLOEXEC, kOnlyOwner);
  if (descriptor < 0) {
    return Error(ErrorKind::kUnavailable, std::string("cannot open ") + file + ": " +
                                              std::generic_category().message(errno));
  }
  for (const int each : standard) dup2(descriptor, each);
  close(descriptor);
  return {};
}

}  // namespace

Background::Side Background::Begin() {
  std::array<int, 2> report{};
  std::array<int, 2> complaints{};
  GS_CHECK(pipe2(report.data(), O_CLOEXEC) == 0 && pipe2(complaints.data(), O_CLOEXEC) == 0);
  child_ = fork();
  GS_CHECK(child_ >= 0);
  const bool is_parent = child_ > 0;
  report_ = report[is_parent ? 0 : 1];
  complaints_ = complaints[0];
  close(report[is_parent ? 1 : 0]);
  if (is_parent) {
    close(complaints[1]);
    return Side::kParent;
  }
  setsid();
  dup2(complaints[1], STDERR_FILENO);
  close(complaints[0]);
  close(complaints[1]);
  return Side::kChild;
}

int Background::WaitForChild(std::ostream& out, std::ostream& err) const {
  err << ReadAll(complaints_) << std::flush;
  const std::string report = ReadAll(report_);
  if (!report.empty()) {
    out << report << std::flush;
    return 0;
  }
  int status = 0;
  waitpid(child_, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1;
}

Result<void> Background::ReportReady(const std::string& text,
                                     const std::filesystem::path& log) const {
  if (auto done = Redirect("/dev/null", O_RDWR, {STDIN_FILENO, STDOUT_FILENO}); !done) return done;
  if (auto done = Redirect(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, {STDERR_FILENO});
      !done) {
    return done;
  }
  const auto size = static_cast<ssize_t>(text.size());
  GS_CHECK(write(report_, text.data(), text.size()) == size);
  close(report_);
  return {};
}

}  // namespace gs::local
