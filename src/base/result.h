// Result<T>: a value, or the Error that says why there is none. For anything the outside world can
// cause; our own bugs are GS_CHECK's business. Reading the side that is not there aborts.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace gs {

template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return Error(...)` both read
  // well.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& {
    GS_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T& value() & {
    GS_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    GS_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] T* operator->() { return &value(); }

  [[nodiscard]] const Error& error() const& {
    GS_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    GS_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

  // The same result with one more ring of context if it is an error.
  [[nodiscard]] Result Within(std::string context) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().Within(std::move(context));
  }

  friend bool operator==(const Result&, const Result&) = default;

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const& {
    GS_CHECK(!ok());
    return *error_;
  }
  [[nodiscard]] Error&& error() && {
    GS_CHECK(!ok());
    return std::move(*error_);
  }
  [[nodiscard]] Result Within(std::string context) && {
    if (ok()) return {};
    return std::move(*error_).Within(std::move(context));
  }

  friend bool operator==(const Result&, const Result&) = default;

 private:
  std::optional<Error> error_;
};

}  // namespace gs
