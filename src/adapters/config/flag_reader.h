// FlagReader: checks values of a command line, and keeps the first thing that is wrong.
#pragma once

#include <optional>
#include <string>

#include "adapters/config/values.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::config {

class FlagReader {
 public:
  // From `least` to `most`, both included.
  Duration Time(const char* flag, const std::string& word, Duration least, Duration most);
  Listen Address(const char* flag, const std::string& word);
  template <class Parse>
  auto Word(const char* flag, const std::string& word, Parse parse, const std::string& allowed) {
    const auto value = parse(word);
    if (!value) {
      Fail(flag, Error(ErrorKind::kInvalid, "\"" + word + "\" is none").Advise("write " + allowed));
    }
    return value.value_or(typename decltype(value)::value_type{});
  }

  void Fail(const char* flag, const Error& error) {
    if (!error_) error_ = Error(error).Within(flag);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace gs::config
