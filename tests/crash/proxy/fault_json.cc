#include "tests/crash/proxy/fault_json.h"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/json/object_reader.h"

namespace gs::crash {
namespace {

using json::ObjectReader;
using testing::Fault;

constexpr IntegerRange kMilliseconds{.min = 0, .max = 600'000};
constexpr IntegerRange kBytes{.min = 0, .max = std::int64_t{1} << 40};
constexpr IntegerRange kStatuses{.min = 200, .max = 599};

Duration Time(ObjectReader& reader, std::string_view field) {
  return std::chrono::milliseconds(reader.Int(field, kMilliseconds, 0));
}

Fault ReadDelay(ObjectReader& reader) {
  const Duration before = Time(reader, "before_ms");
  return testing::Delay{.before_forwarding = before, .before_answering = Time(reader, "after_ms")};
}

Fault ReadForwardLater(ObjectReader& reader) {
  return testing::ForwardLater{.after = Time(reader, "after_ms")};
}

Fault ReadDuplicate(ObjectReader& reader) {
  using Told = testing::Duplicate::Told;
  const auto parse = [](std::string_view word) -> std::optional<Told> {
    if (word == "first") return Told::kFirst;
    if (word == "second") return Told::kSecond;
    return std::nullopt;
  };
  const Told told = reader.Word("told", parse, "first, second", Told::kFirst);
  return testing::Duplicate{.told = told, .gap = Time(reader, "gap_ms")};
}

Fault ReadHold(ObjectReader& reader) {
  using Where = testing::Hold::Where;
  const auto parse = [](std::string_view word) -> std::optional<Where> {
    if (word == "before") return Where::kBeforeForwarding;
    if (word == "after") return Where::kBeforeAnswering;
    return std::nullopt;
  };
  return testing::Hold{reader.Word("where", parse, "before, after", Where::kBeforeForwarding)};
}

http::Headers ReadHeaders(ObjectReader& reader) {
  http::Headers headers;
  const auto* written = reader.Raw("headers");
  if (written == nullptr) return headers;
  const auto* object = written->if_object();
  if (object == nullptr) reader.Fail("headers", "expected an object");
  for (const auto& [name, value] : object == nullptr ? boost::json::object() : *object) {
    if (value.is_string()) headers.Add(std::string(name), std::string(value.get_string()));
    if (!value.is_string()) reader.Fail("headers", "expected texts");
  }
  return headers;
}

Fault ReadAnswer(ObjectReader& reader) {
  http::Response response;
  response.status = static_cast<int>(reader.RequiredInt("status", kStatuses));
  response.headers = ReadHeaders(reader);
  response.body = reader.Text("body", StatusBody(response.status));
  if (response.headers.Find("Content-Type") == nullptr) {
    response.headers.Add("Content-Type", "application/json");
  }
  return testing::Answer{std::move(response)};
}

Fault ReadCutAfter(ObjectReader& reader) {
  return testing::CutAfter{static_cast<std::size_t>(reader.RequiredInt("bytes", kBytes))};
}

Fault ReadLateWatch(ObjectReader& reader) { return testing::LateWatch{Time(reader, "ms")}; }

template <class Plain>
Fault ReadPlain(ObjectReader& /*reader*/) {
  return Plain{};
}

struct Kind {
  std::string_view name;
  Fault (*read)(ObjectReader&);
};

constexpr std::array kKinds{
    Kind{"pass", ReadPlain<testing::Pass>},
    Kind{"delay", ReadDelay},
    Kind{"drop_before", ReadPlain<testing::DropBefore>},
    Kind{"drop_after", ReadPlain<testing::DropAfter>},
    Kind{"forward_later", ReadForwardLater},
    Kind{"duplicate", ReadDuplicate},
    Kind{"hold", ReadHold},
    Kind{"late_watch", ReadLateWatch},
    Kind{"answer", ReadAnswer},
    Kind{"cut_after", ReadCutAfter},
    Kind{"freeze", ReadPlain<testing::Freeze>},
    Kind{"remember", ReadPlain<testing::Remember>},
    Kind{"replay", ReadPlain<testing::Replay>},
};

std::string KindNames() {
  std::string names;
  for (const Kind& kind : kKinds) {
    names += (names.empty() ? "" : ", ");
    names += kind.name;
  }
  return names;
}

const Kind* FindKind(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 409: return "Conflict";
    case 410: return "Expired";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    case 504: return "Timeout";
    default: return "";
  }
}

}  // namespace

Result<Fault> ReadFault(const boost::json::value& value, std::string path) {
  ObjectReader reader(value, std::move(path));
  const std::string name = reader.RequiredText("kind");
  const Kind* kind = FindKind(name);
  if (kind == nullptr) {
    reader.Fail("kind", "expected one of " + KindNames() + ", got " + json::Quoted(name));
  }
  Fault fault = kind == nullptr ? Fault() : kind->read(reader);
  if (auto fine = reader.Finish(); !fine) return std::move(fine).error();
  return fault;
}

std::string StatusBody(int status) {
  return boost::json::serialize(
      boost::json::object{{"kind", "Status"},
                          {"apiVersion", "v1"},
                          {"metadata", boost::json::object()},
                          {"status", status < 400 ? "Success" : "Failure"},
                          {"message", "the fault proxy says " + std::to_string(status)},
                          {"reason", ReasonOf(status)},
                          {"code", status}});
}

}  // namespace gs::crash
