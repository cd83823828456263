// What an API server says about a request: the Status object in its answers, and what an answer
// means for a write.
//
// The rule that matters: only an answer that proves the write did not happen may say so. An answer
// of 5xx, or none, leaves it open, whatever its text says; so does a 404 that is not an API
// server's own word about the very object, since proxies and unknown paths answer 404 too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/event.h"

namespace gs::kube {

// A Status of the API: metav1.Status, as far as it is used.
struct StatusAnswer {
  std::int64_t code = 0;
  std::string reason;  // "AlreadyExists"; for programs
  std::string message;
  std::optional<std::int64_t> retry_after_seconds;
  std::vector<std::string> wrong_fields;  // "metadata.uid"; what of the object was refused
  // Whom it is about, "pods" and "a"; empty: it does not say.
  std::string resource;
  std::string name;

  friend bool operator==(const StatusAnswer&, const StatusAnswer&) = default;
};

[[nodiscard]] Result<StatusAnswer> ParseStatus(std::string_view body);

// The object that a request was about, as a Status names it: "pods" and "a". Empty: none by name.
struct NamedObject {
  std::string resource;
  std::string name;

  friend bool operator==(const NamedObject&, const NamedObject&) = default;
};

// Whether the body of a 404 is an API server's word that this object does not exist.
[[nodiscard]] bool SaysNotFound(std::string_view body, const NamedObject& object);

// An HTTP answer as far as it matters here; views of the caller's.
struct HttpAnswer {
  int code = 0;                  // 0: there was none
  std::string_view retry_after;  // the header's value, "" if absent
  std::string_view date;         // likewise; only the server's clock tells what its dates mean
  std::string_view body;
};

enum class WriteVerb : std::uint8_t { kCreate, kOther };

struct WriteAnswer {
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  std::string reason;  // for people: "409 AlreadyExists: leases \"gpu-a-0\" already exists"
  std::optional<Duration> retry_after;  // the server asks to wait that long

  friend bool operator==(const WriteAnswer&, const WriteAnswer&) = default;
};

[[nodiscard]] WriteAnswer ClassifyWrite(const HttpAnswer& answer, WriteVerb verb,
                                        const NamedObject& object = {});

}  // namespace gs::kube
