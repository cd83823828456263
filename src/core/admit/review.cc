#include "core/admit/review.h"

#include <ostream>

namespace gs::admit {

std::ostream& operator<<(std::ostream& out, const EnvVariable& variable) {
  out << variable.name;
  if (variable.source == ValueSource::kText) return out << "=" << variable.value;
  if (variable.source == ValueSource::kAnnotation) {
    return out << " from annotation " << variable.value;
  }
  return out << " from elsewhere";
}

}  // namespace gs::admit
