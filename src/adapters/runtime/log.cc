#include "adapters/runtime/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <mutex>
#include <utility>

#include "adapters/runtime/log_text.h"
#include "base/text.h"

namespace gs::runtime {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 4> kLevels = {{
    {LogLevel::kDebug, "debug"},
    {LogLevel::kInfo, "info"},
    {LogLevel::kWarning, "warning"},
    {LogLevel::kError, "error"},
}};

constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%fZ %l %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";

spdlog::level::level_enum Native(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::off;
}

// Hands finished lines to a function; the base class holds its mutex meanwhile.
class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_({line.data(), line.size()});
  }
  void flush_() override {}

  const std::function<void(std::string_view)> write_;
};

spdlog::sink_ptr MakeSink(LogOptions& options) {
  if (options.write) return std::make_shared<FunctionSink>(std::move(options.write));
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace

struct Logger::Output {
  explicit Output(LogOptions options) : format(options.format), logger("", MakeSink(options)) {
    const bool is_json = format == LogFormat::kJson;
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        is_json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc, "\n"));
    logger.set_level(Native(options.level));
    // A line that cannot be written must not stop the program, nor write about itself.
    logger.set_error_handler([](const std::string&) {});
  }

  LogFormat format;
  mutable spdlog::logger logger;  // does its own locking
};

std::string_view ToString(LogLevel level) { return text::NameOf(kLevels, level); }
std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  return text::ValueOf(kLevels, name);
}

Logger::Logger(LogOptions options) : output_(std::make_shared<Output>(std::move(options))) {}

Logger Logger::With(Fields fields) const {
  Logger more = *this;
  for (const LogField& field : fields) more.fixed_ += PrintField(output_->format, field);
  return more;
}

bool Logger::IsOn(LogLevel level) const { return output_->logger.should_log(Native(level)); }

void Logger::Write(LogLevel level, std::string_view message, Fields fields) const {
  if (!IsOn(level)) return;
  std::string line = PrintMessage(output_->format, message) + fixed_;
  for (const LogField& field : fields) line += PrintField(output_->format, field);
  output_->logger.log(Native(level), line);
}

void Logger::Debug(std::string_view message, Fields fields) const {
  Write(LogLevel::kDebug, message, fields);
}
void Logger::Info(std::string_view message, Fields fields) const {
  Write(LogLevel::kInfo, message, fields);
}
void Logger::Warning(std::string_view message, Fields fields) const {
  Write(LogLevel::kWarning, message, fields);
}
void Logger::Error(std::string_view message, Fields fields) const {
  Write(LogLevel::kError, message, fields);
}

}  // namespace gs::runtime
