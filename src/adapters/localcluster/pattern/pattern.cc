#include "adapters/localcluster/pattern/pattern.h"

#include <boost/regex.hpp>
#include <exception>
#include <utility>

namespace gs::localcluster {

struct Pattern::Compiled {
  boost::regex regex;
};

namespace {

Error Refused(std::string_view text, const std::string& why) {
  return {ErrorKind::kInvalid, "error parsing regexp: " + why + ": `" + std::string(text) + "`"};
}

// Groups that are more than groups, and references to groups.
bool NeedsBacktracking(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') {
      if (text[i + 1] >= '1' && text[i + 1] <= '9') return true;
      if (text[i + 1] == 'k' || text[i + 1] == 'g') return true;
      ++i;
    } else if (text.substr(i).starts_with("(?")) {
      const char next = i + 2 < text.size() ? text[i + 2] : '\0';
      const bool is_group = next == ':' || next == 'P' || next == 'i' || next == 's' || next == 'm';
      if (!is_group) return true;
    }
  }
  return false;
}

}  // namespace

Result<Pattern> Pattern::Compile(std::string_view text) {
  if (NeedsBacktracking(text)) return Refused(text, "invalid or unsupported Perl syntax");
  try {
    auto compiled = std::make_shared<Compiled>();
    compiled->regex.assign(text.begin(), text.end(), boost::regex::perl | boost::regex::no_mod_m);
    return Pattern(std::move(compiled));
  } catch (const std::exception& failure) {
    return Refused(text, failure.what());
  }
}

Result<bool> Pattern::IsFoundIn(std::string_view text) const {
  try {
    return boost::regex_search(text.begin(), text.end(), compiled_->regex);
  } catch (const std::exception& failure) {
    return Error(ErrorKind::kUnsupported,
                 std::string("matching a pattern took too long: ") + failure.what());
  }
}

}  // namespace gs::localcluster
