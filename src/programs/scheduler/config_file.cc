#include "programs/scheduler/config_file.h"

#include <boost/json/serialize.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "base/text.h"

namespace gs::scheduler {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::string_view kApiVersion = "gpu-scheduler/v1";
constexpr std::string_view kKind = "SchedulerConfig";

std::string_view SectionOf(const Setting& setting) {
  return setting.path.substr(0, setting.path.find('.'));
}
std::string_view KeyOf(const Setting& setting) {
  return setting.path.substr(setting.path.find('.') + 1);
}

std::vector<std::string_view> KnownSections() {
  std::vector<std::string_view> sections;
  for (const Setting& setting : AllSettings()) {
    const std::string_view section = SectionOf(setting);
    if (sections.empty() || sections.back() != section) sections.push_back(section);
  }
  return sections;
}

std::vector<std::string_view> KnownKeys(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : AllSettings()) {
    if (SectionOf(setting) == section) keys.push_back(KeyOf(setting));
  }
  return keys;
}

std::string List(const std::vector<std::string_view>& words) {
  return text::Join(words, ", ", [](std::string_view word) { return word; });
}

// Puts one document into the settings.
class Reader {
 public:
  Reader(const yaml::PlacedYaml& document, const std::string& file, WrittenSettings& settings)
      : document_(document), file_(file), settings_(settings) {}

  Result<void> Read() {
    const auto* root = document_.value.if_object();
    if (root == nullptr) return Refusal("", "expected an object, got " + Found(document_.value));
    if (auto fine = CheckHeader(*root); !fine) return fine;
    for (const auto& [name, value] : *root) {
      const std::string_view section(name.data(), name.size());
      if (section == "apiVersion" || section == "kind") continue;
      if (auto fine = ReadSection(section, value); !fine) return fine;
    }
    return {};
  }

 private:
  Result<void> CheckHeader(const boost::json::object& root) {
    for (const auto& [field, wanted] :
         {std::pair{"apiVersion", kApiVersion}, std::pair{"kind", kKind}}) {
      const auto* value = root.if_contains(field);
      if (value == nullptr) {
        return Refusal(field, "is missing",
                       "write " + std::string(field) + ": " + std::string(wanted));
      }
      if (!value->is_string() || value->get_string() != wanted) {
        return Refusal(field, "expected " + std::string(wanted) + ", got " + Found(*value));
      }
    }
    return {};
  }

  Result<void> ReadSection(std::string_view section, const boost::json::value& value) {
    const auto keys = KnownKeys(section);
    if (keys.empty()) {
      return Refusal(section, "is unknown", "known are apiVersion, kind, " + List(KnownSections()));
    }
    if (value.is_null()) return {};
    const auto* members = value.if_object();
    if (members == nullptr) return Refusal(section, "expected an object, got " + Found(value));
    for (const auto& [key, member] : *members) {
      const std::string path = std::string(section) + "." + std::string(key);
      const auto setting = settings_.find(path);
      if (setting == settings_.end() || key.find('.') != std::string::npos) {
        return Refusal(path, "is unknown", "known are " + List(keys));
      }
      if (auto fine = ReadValue(setting->second, member); !fine) return fine;
    }
    return {};
  }

  Result<void> ReadValue(WrittenSetting& written, const boost::json::value& value) {
    if (value.is_null()) return {};
    const std::string_view path = written.setting->path;
    const bool is_number = written.setting->form == SettingForm::kNumber;
    if (is_number && !value.is_int64() && !value.is_uint64()) {
      return Refusal(path, "expected a whole number, got " + Found(value));
    }
    if (!is_number && !value.is_string()) {
      return Refusal(path, "expected text, got " + Found(value),
                     value.is_structured() ? "" : "write it in quotes if it is meant as text");
    }
    written.text = is_number ? boost::json::serialize(value) : std::string(value.get_string());
    written.is_default = false;
    written.file = file_;
    written.place = PlaceOf(path);
    return {};
  }

  static std::string Found(const boost::json::value& value) { return json::Describe(value); }

  Error Refusal(std::string_view path, const std::string& message, std::string advice = "") const {
    const std::string where = path.empty() ? "" : std::string(path) + ": ";
    return Error(ErrorKind::kInvalid, where + message)
        .At(PlaceOf(path))
        .Advise(std::move(advice))
        .Within(file_);
  }

  // What an alias has brought in is where the alias is.
  TextPlace PlaceOf(std::string_view path) const {
    while (!path.empty()) {
      const auto place = document_.places.find(std::string(path));
      if (place != document_.places.end()) return place->second;
      const auto dot = path.rfind('.');
      path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return {};
  }

  const yaml::PlacedYaml& document_;
  const std::string& file_;
  WrittenSettings& settings_;
};

}  // namespace

Result<void> ReadConfigText(std::string_view text, const std::string& file,
                            WrittenSettings& settings) {
  const auto document = yaml::ParseYamlWithPlaces(text, {.max_bytes = kMaxBytes});
  if (!document) return Error(document.error()).Within(file);
  return Reader(*document, file, settings).Read();
}

Result<void> ReadConfigFile(const std::string& file, WrittenSettings& settings) {
  const auto text = runtime::ReadFile(file, kMaxBytes);
  if (!text) return Error(text.error()).Within("--config");
  return ReadConfigText(*text, file, settings);
}

std::string PrintConfig(const WrittenSettings& settings) {
  std::string text = "apiVersion: " + std::string(kApiVersion) + "\nkind: " + std::string(kKind);
  std::string_view section;
  for (const Setting& setting : AllSettings()) {
    if (SectionOf(setting) != section) {
      section = SectionOf(setting);
      text += "\n" + std::string(section) + ":";
    }
    const std::string& value = settings.at(setting.path).text;
    text += "\n  " + std::string(KeyOf(setting)) + ": ";
    text += setting.form == SettingForm::kNumber ? value : boost::json::serialize(value);
  }
  return text + "\n";
}

}  // namespace gs::scheduler
