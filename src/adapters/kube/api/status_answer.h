// What an API server says about a request: the Status object in its answers, and what an answer
// means for a write.
//
// The rule that matters: only an answer that proves the write did not happen may say so. An answer
// of 5xx, or none, leaves it open, whatever its text says.
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

  friend bool operator==(const StatusAnswer&, const StatusAnswer&) = default;
};

[[nodiscard]] Result<StatusAnswer> ParseStatus(std::string_view body);

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

[[nodiscard]] WriteAnswer ClassifyWrite(const HttpAnswer& answer, WriteVerb verb);

}  // namespace gs::kube
