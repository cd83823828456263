#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/machinesets/cluster_objects.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"

namespace gs::machinesets {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

struct FolderObjects {
  std::vector<boost::json::value> infrastructures;
  std::vector<boost::json::value> machine_sets;
};

void Sort(boost::json::value object, FolderObjects& found) {
  const std::string_view kind = localcluster::KindOf(object);
  if (kind == "Infrastructure")
    found.infrastructures.push_back(std::move(object));
  else if (kind == "MachineSet")
    found.machine_sets.push_back(std::move(object));
  else if (kind.ends_with("List")) {
    for (const auto& item : localcluster::Items(object, {"items"})) Sort(item, found);
  }
}

Result<void> ReadObjects(const std::filesystem::path& path, FolderObjects& found) {
  const auto text = runtime::ReadFile(path, kMaxFileBytes);
  if (!text) return text.error();
  auto documents = yaml::ParseYamlDocuments(*text, {.max_bytes = kMaxFileBytes});
  if (!documents) return std::move(documents).error().Within(path.string());
  for (auto& document : *documents) Sort(std::move(document), found);
  return {};
}

Result<std::set<std::filesystem::path>> FilesOf(const std::string& folder) {
  std::set<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    const auto extension = at->path().extension();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json")
      files.insert(at->path());
  }
  if (failure) return Error(ErrorKind::kNotFound, failure.message()).Within(folder);
  return files;
}

}  // namespace

Result<ClusterObjects> ReadClusterFolder(const std::string& folder) {
  const auto files = FilesOf(folder);
  if (!files) return files.error();
  FolderObjects found;
  for (const auto& file : *files) {
    if (auto fine = ReadObjects(file, found); !fine) return std::move(fine).error();
  }
  if (found.infrastructures.size() != 1) {
    return Error(ErrorKind::kInvalid, "expected one Infrastructure, found " +
                                          std::to_string(found.infrastructures.size()))
        .Advise("oc get infrastructure cluster -o yaml writes it")
        .Within(folder);
  }
  return ReadClusterObjects(found.infrastructures.front(), std::move(found.machine_sets));
}

}  // namespace gs::machinesets
