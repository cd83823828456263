// Status: a refusal as an API server words it, and Answer<T>: a value, or the Status that says why
// there is none. Clients read code, reason and details, people the message, so all of them follow
// the real server.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace gs::localcluster {

// One field that is wrong.
struct StatusCause {
  std::string reason;   // FieldValueInvalid, FieldValueRequired, ...
  std::string message;  // `Invalid value: "x": must be ...`
  std::string field;    // spec.containers[0].name

  friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

struct Status {
  int code = 500;
  std::string reason = "InternalError";
  std::string message;
  // What it is about; empty ones are left out.
  std::string name;
  std::string group;
  std::string kind;  // the plural, as the real server has it, but the Kind in what is invalid
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;

  friend bool operator==(const Status&, const Status&) = default;
};

// The object that clients get. Code 200 to 299 is a success.
[[nodiscard]] std::string PrintStatus(const Status& status);

// What a refusal is about: "pods", "apps", "web".
struct Subject {
  std::string plural;
  std::string group;
  std::string name;
};

[[nodiscard]] Status NotFound(const Subject& subject);
[[nodiscard]] Status AlreadyExists(const Subject& subject);
// `why` follows `Operation cannot be fulfilled on pods "x": `.
[[nodiscard]] Status Conflict(const Subject& subject, std::string_view why);
[[nodiscard]] Status ModifiedMeanwhile(const Subject& subject);
[[nodiscard]] Status BadRequest(std::string message);
[[nodiscard]] Status Forbidden(const Subject& subject, std::string_view why);
// 422 about the object `name` of `kind` ("Deployment"). Requires: causes are not empty.
[[nodiscard]] Status Invalid(const std::string& kind, const std::string& group,
                             const std::string& name, std::vector<StatusCause> causes);
// 410: the revision asked for is no longer known.
[[nodiscard]] Status Expired(std::string message);

template <class T>
class [[nodiscard]] Answer {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return Status` both read well.
  Answer(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Answer(Status status) : state_(std::in_place_index<1>, std::move(status)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const T& operator*() const& { return Value(); }
  [[nodiscard]] T& operator*() & { return const_cast<T&>(Value()); }  // NOLINT: same object
  [[nodiscard]] T&& operator*() && { return std::move(**this); }
  [[nodiscard]] const T* operator->() const { return &Value(); }
  [[nodiscard]] T* operator->() { return &**this; }
  [[nodiscard]] const Status& status() const {
    GS_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  [[nodiscard]] const T& Value() const {
    GS_CHECK(ok());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Status> state_;
};

// Nothing is wrong, or what is.
using Verdict = std::optional<Status>;

}  // namespace gs::localcluster
