// Error: a refusal as a value. It says what went wrong, where, and what to do next; whoever passes
// it up adds context instead of logging it. Must never be thrown.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gs {

enum class ErrorKind : std::uint8_t {
  kInvalid,      // the input is wrong; the same input will always be refused
  kNotFound,     // what was named does not exist
  kConflict,     // somebody else changed it first
  kUnavailable,  // may work later
  kUnsupported,  // understood, and not offered
  kInternal,     // our own mistake
};

[[nodiscard]] std::string_view ToString(ErrorKind kind);

// A place in a text, both counted from 1. Columns count bytes.
struct TextPlace {
  int line = 1;
  int column = 1;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  // Builders, meant to be chained: Error(...).At({2, 5}).Advise("write index=node:ids").Within("pod
  // a/b").
  [[nodiscard]] Error At(TextPlace place) &&;
  [[nodiscard]] Error Advise(std::string advice) &&;
  // Adds one outer ring of context. The ring added last is printed first.
  [[nodiscard]] Error Within(std::string context) &&;

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& advice() const { return advice_; }
  [[nodiscard]] std::optional<TextPlace> place() const { return place_; }
  [[nodiscard]] const std::vector<std::string>& context() const { return context_; }

  friend bool operator==(const Error&, const Error&) = default;

 private:
  ErrorKind kind_;
  std::string message_;
  std::string advice_;
  std::optional<TextPlace> place_;
  std::vector<std::string> context_;  // innermost first
};

// "pod a/b: gpu-scheduling-map: line 2, column 5: expected '='; write index=node:ids"
[[nodiscard]] std::string ToString(const Error& error);
std::ostream& operator<<(std::ostream& out, const Error& error);

}  // namespace gs
