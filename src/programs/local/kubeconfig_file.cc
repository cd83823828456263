#include "programs/local/kubeconfig_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "adapters/kube/login/base64.h"
#include "adapters/runtime/read_file.h"

namespace gs::local {
namespace {

constexpr std::string_view kOurs = "# Written by gpu-local; it goes when the cluster ends.\n";
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr int kOnlyOwner = 0600;

Error CannotWrite(const std::filesystem::path& path, int code) {
  return Error(ErrorKind::kInvalid,
               "cannot write " + path.string() + ": " + std::generic_category().message(code))
      .Advise("choose another place with --kubeconfig");
}

int WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string PrintKubeconfig(const KubeconfigContent& content) {
  std::string text(kOurs);
  text += "apiVersion: v1\nkind: Config\ncurrent-context: gpu-local\n";
  text += "clusters:\n- name: gpu-local\n  cluster:\n    server: " + content.server;
  text += "\n    certificate-authority-data: " + kube::EncodeBase64(content.ca_pem);
  text += "\nusers:\n- name: gpu-local\n  user:\n    client-certificate-data: ";
  text += kube::EncodeBase64(content.certificate_pem);
  text += "\n    client-key-data: " + kube::EncodeBase64(content.key_pem);
  text += "\ncontexts:\n- name: gpu-local\n  context: {cluster: gpu-local, user: gpu-local}\n";
  return text;
}

Result<KubeconfigFile> KubeconfigFile::Write(const std::filesystem::path& path,
                                             const std::string& text) {
  const auto before = runtime::ReadFile(path, kMaxBytes);
  if (before ? !before->starts_with(kOurs) : before.error().kind() != ErrorKind::kNotFound) {
    return Error(ErrorKind::kConflict, path.string() + " exists and is no file of gpu-local")
        .Advise("choose another place with --kubeconfig");
  }
  // Made anew and put in its place whole, so that nobody reads half of it.
  const std::string fresh = path.string() + ".new";
  unlink(fresh.c_str());
  const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOnlyOwner);
  if (descriptor < 0) return CannotWrite(path, errno);
  int failed = WriteAll(descriptor, text);
  close(descriptor);
  if (failed == 0 && rename(fresh.c_str(), path.c_str()) != 0) failed = errno;
  if (failed == 0) return KubeconfigFile(path, text);
  unlink(fresh.c_str());
  return CannotWrite(path, failed);
}

KubeconfigFile::KubeconfigFile(KubeconfigFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), text_(std::move(other.text_)) {}

KubeconfigFile::~KubeconfigFile() {
  if (path_.empty()) return;
  const auto now = runtime::ReadFile(path_, kMaxBytes);
  if (now && *now == text_) unlink(path_.c_str());
}

}  // namespace gs::local
