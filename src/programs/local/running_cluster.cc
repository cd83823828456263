#include "programs/local/running_cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/runtime/read_file.h"

namespace gs::local {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 10;
constexpr int kOnlyOwner = 0600;

std::filesystem::path FileOf(const std::filesystem::path& folder, const std::string& name) {
  return folder / (name + ".json");
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error Failure(const std::string& what, int code) {
  return {ErrorKind::kUnavailable, what + ": " + std::generic_category().message(code)};
}

// Whether the file that was opened is still the one with that name.
bool IsInPlace(int descriptor, const std::filesystem::path& file) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

std::string Print(const RunningCluster& cluster) {
  return boost::json::serialize(boost::json::object{{"process", cluster.process},
                                                    {"version", cluster.version},
                                                    {"server", cluster.server},
                                                    {"kubeconfig", cluster.kubeconfig},
                                                    {"nodes", cluster.nodes},
                                                    {"log", cluster.log},
                                                    {"bare", cluster.is_bare},
                                                    {"dashboard", cluster.dashboard},
                                                    {"started", PrintTime(cluster.started)}});
}

Result<RunningCluster> Parse(const std::string& text) {
  const auto value = json::ParseJson(text);
  if (!value) return value.error();
  json::ObjectReader fields(*value, "");
  RunningCluster cluster;
  cluster.process = static_cast<pid_t>(fields.RequiredInt("process", {1, kInt32Range.max}));
  cluster.version = fields.RequiredText("version");
  cluster.server = fields.RequiredText("server");
  cluster.kubeconfig = fields.RequiredText("kubeconfig");
  cluster.nodes = fields.RequiredText("nodes");
  cluster.log = fields.Text("log");
  cluster.is_bare = fields.Bool("bare", false);
  cluster.dashboard = fields.Text("dashboard");
  const auto started = ParseTime(fields.RequiredText("started"));
  if (auto fine = fields.Finish(); !fine) return std::move(fine).error();
  if (!started) return started.error();
  cluster.started = *started;
  return cluster;
}

}  // namespace

Result<std::filesystem::path> StateFolder() {
  std::filesystem::path folder = Variable("XDG_RUNTIME_DIR");
  if (folder.empty()) folder = Variable("XDG_STATE_HOME");
  if (folder.empty() && !Variable("HOME").empty()) {
    folder = std::filesystem::path(Variable("HOME")) / ".local" / "state";
  }
  if (folder.empty()) {
    return Error(ErrorKind::kInvalid, "neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set")
        .Advise("set XDG_RUNTIME_DIR to a folder of your own");
  }
  folder /= "gpu-local";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  }
  if (failed) return Failure("cannot make the folder " + folder.string(), failed.value());
  return folder;
}

Result<std::optional<RunningCluster>> FindRunning(const std::filesystem::path& folder,
                                                  const std::string& name) {
  const std::filesystem::path file = FileOf(folder, name);
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::optional<RunningCluster>();
  const bool is_free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  close(descriptor);
  if (is_free) return std::optional<RunningCluster>();
  const auto text = runtime::ReadFile(file, kMaxBytes);
  if (!text) return text.error();
  auto cluster = Parse(*text);
  if (!cluster) return std::move(cluster).error().Within(file.string());
  return std::optional(*std::move(cluster));
}

Result<RunningMark> RunningMark::Take(const std::filesystem::path& folder,
                                      const std::string& name) {
  const std::filesystem::path file = FileOf(folder, name);
  while (true) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOnlyOwner);
    if (descriptor < 0) return Failure("cannot write " + file.string(), errno);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor);
      const auto other = FindRunning(folder, name);
      const bool is_known = other && *other;
      return Error(ErrorKind::kConflict, "a cluster " + json::Quoted(name) + " is running already" +
                                             (is_known ? " at " + (*other)->server : ""))
          .Advise("gpu-local down ends it, --name starts another one beside it");
    }
    // The one before us may have taken the file away between our two steps.
    if (IsInPlace(descriptor, file)) return RunningMark(file, descriptor);
    close(descriptor);
  }
}

RunningMark::RunningMark(RunningMark&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RunningMark::~RunningMark() {
  if (descriptor_ < 0) return;
  unlink(file_.c_str());
  close(descriptor_);
}

Result<void> RunningMark::Tell(const RunningCluster& cluster) const {
  const std::string text = Print(cluster);
  const auto size = static_cast<ssize_t>(text.size());
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, text.data(), text.size(), 0) != size) {
    return Failure("cannot write " + file_.string(), errno);
  }
  return {};
}

}  // namespace gs::local
