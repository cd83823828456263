// Large variants are instantiated here once instead of in every file that copies, moves or compares one.
#include <utility>
#include <vector>

#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::precompiled {

template <typename Variant>
void Use(std::vector<Variant>& variants) {
  Variant copy = variants.front();
  copy = variants.back();
  copy = std::move(variants.back());
  variants.push_back(copy);
  variants.push_back(std::move(copy));
  const std::vector<Variant> copies = variants;
  variants.insert(variants.end(), copies.begin(), copies.end());
}

inline void UseOnce(std::vector<model::Event>& events, std::vector<model::Command>& commands) {
  Use(events);
  Use(commands);
}

}  // namespace gs::precompiled
