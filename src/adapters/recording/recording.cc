#include "adapters/recording/recording.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/recording/described_model.h"
#include "adapters/recording/earlier_format.h"
#include "adapters/recording/members.h"

namespace gs::recording {

BOOST_DESCRIBE_STRUCT(Run, (), (at, is_draining, events, commands))

namespace {

constexpr std::string_view kFormatName = "gpu-scheduler-recording";

Error Foreign(std::string why) {
  return Error(ErrorKind::kInvalid, std::move(why))
      .Advise("a recording is what gpu-scheduler --record has written");
}

Result<boost::json::value> Parse(std::string_view line) {
  boost::json::error_code problem;
  auto json = boost::json::parse({line.data(), line.size()}, problem);
  if (problem) return Foreign("is no line of JSON: " + problem.message());
  return json;
}

}  // namespace

std::string EncodeHeader(const Header& header) {
  return boost::json::serialize(boost::json::object{{kFormatName, kFormat},
                                                    {"version", header.program_version},
                                                    {"options", ToJson(header.options)}});
}

std::string EncodeRun(TimePoint at, bool is_draining, const std::vector<model::Event>& events,
                      const std::vector<model::Command>& commands) {
  boost::json::object run{{"at", ToJson(at)}};
  if (is_draining) run.emplace("is_draining", true);
  if (!events.empty()) run.emplace("events", ToJson(events));
  if (!commands.empty()) run.emplace("commands", ToJson(commands));
  return boost::json::serialize(run);
}

std::string EncodeCommand(const model::Command& command) {
  return boost::json::serialize(ToJson(command));
}

Result<Header> DecodeHeader(std::string_view line) {
  auto json = Parse(line);
  if (!json) return std::move(json).error();
  boost::json::object* object = json->if_object();
  const boost::json::value* format = object == nullptr ? nullptr : object->if_contains(kFormatName);
  if (format == nullptr) return Foreign("does not begin as a recording does");
  const std::int64_t* number = format->if_int64();
  if (number == nullptr || *number < kOldestFormat || *number > kFormat) {
    return Foreign("is in format " + boost::json::serialize(*format) + ", and this program reads " +
                   std::to_string(kOldestFormat) + " to " + std::to_string(kFormat));
  }
  Header header;
  const boost::json::value* version = object->if_contains("version");
  boost::json::value* options = object->if_contains("options");
  if (version == nullptr || options == nullptr) return Foreign("has an incomplete first line");
  if (auto read = FromJson(*version, header.program_version); !read) {
    return std::move(read).error().Within("version");
  }
  LeaveOutRetiredOptions(*options);
  if (auto read = FromJson(*options, header.options); !read) {
    return std::move(read).error().Within("options");
  }
  return header;
}

Result<Run> DecodeRun(std::string_view line) {
  auto json = Parse(line);
  if (!json) return std::move(json).error();
  LeaveOutRetired(*json);
  Run run;
  if (auto read = FromJson(*json, run); !read) return std::move(read).error();
  return run;
}

}  // namespace gs::recording
