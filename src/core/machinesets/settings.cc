#include "core/machinesets/settings.h"

namespace gs::machinesets {

Settings DefaultSettings() {
  Settings settings;
  for (const char* type : {"g6.4xlarge", "g6.12xlarge"}) {
    TypeWish wish;
    wish.type = type;
    settings.types.push_back(wish);
  }
  return settings;
}

}  // namespace gs::machinesets
