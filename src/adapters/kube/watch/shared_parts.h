// SharedParts: what thousands of pods and nodes have alike, kept once: namespaces, nodes,
// schedulers, controllers and labels of pods, models and places of GPUs, how they are wired. Values
// stay as they are; only their copies become one.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "adapters/kube/watch/object_meta.h"
#include "base/shared.h"
#include "base/shared_text.h"
#include "core/model/event.h"
#include "core/model/labels.h"

namespace gs::kube {

class SharedParts {
 public:
  void Share(ObjectMeta& meta);
  // Which names and versions are those of the meta, so that both have one copy.
  void Share(model::Event& event, const ObjectMeta& meta);

 private:
  struct Hash {
    std::size_t operator()(const SharedText& text) const {
      return std::hash<std::string_view>()(text.view());
    }
    std::size_t operator()(const model::Labels& labels) const;
    std::size_t operator()(const Shared<model::Controller>& controller) const {
      return (*this)(controller->uid.shared());
    }
  };

  void Share(model::Pod& pod, const ObjectMeta& meta);
  void Share(model::Machine& machine);
  void Share(model::GpuDevice& device);
  void Share(SharedText& text);
  void Share(model::Labels& labels);
  void Share(Shared<model::Controller>& controller);
  template <class Id>
  void ShareId(Id& id);

  std::unordered_set<SharedText, Hash> texts_;
  std::unordered_set<model::Labels, Hash> labels_;
  std::unordered_set<Shared<model::Controller>, Hash> controllers_;
  std::vector<model::LinkMatrix> wirings_;
};

}  // namespace gs::kube
