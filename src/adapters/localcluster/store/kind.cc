#include "adapters/localcluster/store/kind.h"

#include <algorithm>

namespace gs::localcluster {

using runtime::MutexLock;

bool Kind::Has(std::string_view subresource) const {
  return std::find(subresources.begin(), subresources.end(), subresource) != subresources.end();
}

bool Kind::Allows(std::string_view verb) const {
  return verbs.empty() || std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Kinds::Kinds() {
  const MutexLock lock(mutex_);
  for (auto& kind : BuiltInKinds()) {
    kinds_.push_back(std::make_shared<const Kind>(std::move(kind)));
  }
}

KindPtr Kinds::Find(std::string_view group, std::string_view version,
                    std::string_view plural) const {
  const MutexLock lock(mutex_);
  for (const auto& kind : kinds_) {
    if (kind->plural == plural && kind->group == group && kind->version == version) return kind;
  }
  return nullptr;
}

KindPtr Kinds::Find(std::string_view resource) const {
  const auto dot = resource.find('.');
  const auto plural = resource.substr(0, dot);
  const auto group = dot == resource.npos ? std::string_view() : resource.substr(dot + 1);
  const MutexLock lock(mutex_);
  for (const auto& kind : kinds_) {
    if (kind->plural == plural && kind->group == group) return kind;
  }
  return nullptr;
}

KindPtr Kinds::FindKind(std::string_view api_version, std::string_view name) const {
  const MutexLock lock(mutex_);
  for (const auto& kind : kinds_) {
    if (kind->kind == name && kind->api_version() == api_version) return kind;
  }
  return nullptr;
}

std::vector<KindPtr> Kinds::all() const {
  const MutexLock lock(mutex_);
  return kinds_;
}

void Kinds::Replace(const std::string& resource, std::vector<Kind> versions) {
  const MutexLock lock(mutex_);
  std::erase_if(kinds_, [&](const KindPtr& kind) { return kind->resource() == resource; });
  for (auto& kind : versions) kinds_.push_back(std::make_shared<const Kind>(std::move(kind)));
}

}  // namespace gs::localcluster
