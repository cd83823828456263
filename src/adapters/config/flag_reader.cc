#include "adapters/config/flag_reader.h"

#include <utility>

namespace gs::config {

Duration FlagReader::Time(const char* flag, const std::string& word, Duration least,
                          Duration most) {
  const auto time = ParseDuration(word);
  if (!time) {
    Fail(flag, time.error());
    return least;
  }
  if (*time < least || *time > most) {
    Fail(flag, Error(ErrorKind::kInvalid, "must be from " + PrintDuration(least) + " to " +
                                              PrintDuration(most) + ", got " + word));
  }
  return *time;
}

Listen FlagReader::Address(const char* flag, const std::string& word) {
  auto listen = ParseListen(word);
  if (listen) return *std::move(listen);
  Fail(flag, listen.error());
  return {};
}

}  // namespace gs::config
