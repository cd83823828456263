// Logger: one line per event, for people (text) or for machines (JSON), with fields instead of
// values glued into the sentence:
//
//   log.Info("bound", {{"pod", "team-a/x"}, {"gpus", 4}});
//   2024-05-01T12:00:00.000000Z info bound pod=team-a/x gpus=4
//
// Thread safe; lines are never mixed. Passed to whoever logs: there is no global one.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gs::runtime {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kText, kJson };

[[nodiscard]] std::string_view ToString(LogLevel level);
[[nodiscard]] std::optional<LogLevel> ParseLogLevel(std::string_view name);

// A key and a value; numbers and truth values stay what they are in JSON.
class LogField {
 public:
  LogField(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  LogField(std::string_view key, const char* value) : key_(key), value_(value) {}
  LogField(std::string_view key, const std::string& value) : key_(key), value_(value) {}
  LogField(std::string_view key, bool value)
      : key_(key), value_(value ? "true" : "false"), is_text_(false) {}
  template <std::integral Number>
  LogField(std::string_view key, Number value)
      : key_(key), value_(std::to_string(value)), is_text_(false) {}

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& value() const { return value_; }
  [[nodiscard]] bool is_text() const { return is_text_; }

 private:
  std::string key_;
  std::string value_;
  bool is_text_ = true;
};

struct LogOptions {
  LogLevel level = LogLevel::kInfo;  // what is below is dropped
  LogFormat format = LogFormat::kText;
  // Gets each line with its line end, one at a time; standard error when empty.
  std::function<void(std::string_view line)> write;
};

class Logger {
 public:
  using Fields = std::initializer_list<LogField>;

  explicit Logger(LogOptions options = {});

  // The same logger with fields that every line starts with. Cheap to copy.
  [[nodiscard]] Logger With(Fields fields) const;

  void Debug(std::string_view message, Fields fields = {}) const;
  void Info(std::string_view message, Fields fields = {}) const;
  void Warning(std::string_view message, Fields fields = {}) const;
  void Error(std::string_view message, Fields fields = {}) const;

  [[nodiscard]] bool IsOn(LogLevel level) const;

 private:
  struct Output;
  void Write(LogLevel level, std::string_view message, Fields fields) const;

  std::shared_ptr<const Output> output_;
  std::string fixed_;  // the fields of With(), printed
};

}  // namespace gs::runtime
