// The kubeconfigs that gpu-local writes: who may read them, and which files it never writes over.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace gs::local {

struct KubeconfigContent {
  std::string server;
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
};

[[nodiscard]] std::string PrintKubeconfig(const KubeconfigContent& content);

// A file of ours that goes when this goes.
class KubeconfigFile {
 public:
  // Only its owner can read it, since it holds a key. Refuses to write over a file that is none of
  // ours: somebody's only way to another cluster may be in it.
  [[nodiscard]] static Result<KubeconfigFile> Write(const std::filesystem::path& path,
                                                    const std::string& text);
  ~KubeconfigFile();
  KubeconfigFile(const KubeconfigFile&) = delete;
  KubeconfigFile& operator=(const KubeconfigFile&) = delete;
  KubeconfigFile(KubeconfigFile&& other) noexcept;
  KubeconfigFile& operator=(KubeconfigFile&&) = delete;

 private:
  KubeconfigFile(std::filesystem::path path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

  std::filesystem::path path_;  // empty: moved away
  std::string text_;
};

}  // namespace gs::local
