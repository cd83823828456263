#include "base/error.h"

#include <ostream>
#include <utility>

namespace gs {

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid: return "invalid";
    case ErrorKind::kNotFound: return "not found";
    case ErrorKind::kConflict: return "conflict";
    case ErrorKind::kUnavailable: return "unavailable";
    case ErrorKind::kUnsupported: return "unsupported";
    case ErrorKind::kInternal: return "internal";
  }
  return "unknown";
}

Error Error::At(TextPlace place) && {
  place_ = place;
  return std::move(*this);
}

Error Error::Advise(std::string advice) && {
  advice_ = std::move(advice);
  return std::move(*this);
}

Error Error::Within(std::string context) && {
  context_.push_back(std::move(context));
  return std::move(*this);
}

std::string ToString(const Error& error) {
  std::string text;
  for (auto ring = error.context().rbegin(); ring != error.context().rend(); ++ring) {
    text += *ring + ": ";
  }
  if (const auto place = error.place()) {
    text +=
        "line " + std::to_string(place->line) + ", column " + std::to_string(place->column) + ": ";
  }
  text += error.message();
  if (!error.advice().empty()) text += "; " + error.advice();
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << ToString(error); }

}  // namespace gs
