#include "adapters/recording/members.h"

#include <cstdint>

#include "adapters/recording/described_model.h"

namespace gs::recording {
namespace {

// As many GPUs as anything in this project is made for; a foreign file must not ask for more.
constexpr std::int64_t kMostGpus = 1024;

}  // namespace

boost::json::value ToJson(const model::Labels& labels) {
  boost::json::object object;
  for (const auto& [name, value] : labels) object.emplace(name, value);
  return object;
}

// The upper half, row by row: a link is the same from both sides.
boost::json::value ToJson(const model::LinkMatrix& links) {
  boost::json::array half;
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (std::size_t b = a + 1; b < links.size(); ++b) half.push_back(ToJson(links.At(a, b)));
  }
  return {{"size", links.size()}, {"links", std::move(half)}};
}

Result<void> FromJson(const boost::json::value& json, bool& value) {
  if (!json.is_bool()) return Expected("true or false");
  value = json.get_bool();
  return {};
}

Result<void> FromJson(const boost::json::value& json, std::string& text) {
  if (!json.is_string()) return Expected("a text");
  text = json.get_string();
  return {};
}

Result<void> FromJson(const boost::json::value& json, SharedText& text) {
  if (!json.is_string()) return Expected("a text");
  text = std::string(json.get_string());
  return {};
}

Result<void> FromJson(const boost::json::value& json, GpuUuid& uuid) {
  if (!json.is_string()) return Expected("a text");
  uuid = GpuUuid(std::string_view(json.get_string()));
  return {};
}

Result<void> FromJson(const boost::json::value& json, Duration& time) {
  std::int64_t count = 0;
  if (auto read = FromJson(json, count); !read) return std::move(read).error();
  time = Duration(count);
  return {};
}

Result<void> FromJson(const boost::json::value& json, TimePoint& time) {
  Duration since_epoch{0};
  if (auto read = FromJson(json, since_epoch); !read) return std::move(read).error();
  time = TimePoint(since_epoch);
  return {};
}

Result<void> FromJson(const boost::json::value& json, model::Labels& labels) {
  std::map<std::string, std::string> map;
  if (auto read = FromJson(json, map); !read) return std::move(read).error();
  labels = model::Labels(std::vector<model::Labels::value_type>(map.begin(), map.end()));
  return {};
}

boost::json::value ToJson(const model::OtherAmounts& amounts) {
  boost::json::object object;
  for (const auto& [name, amount] : amounts) object.emplace(name, amount);
  return object;
}

Result<void> FromJson(const boost::json::value& json, model::OtherAmounts& amounts) {
  std::map<std::string, std::int64_t> map;
  if (auto read = FromJson(json, map); !read) return std::move(read).error();
  amounts = {};
  for (const auto& [name, amount] : map) amounts[name] = amount;
  return {};
}

Result<void> FromJson(const boost::json::value& json, model::LinkMatrix& links) {
  if (!json.is_object()) return Expected("an object");
  const boost::json::value* size_json = json.get_object().if_contains("size");
  const boost::json::value* half = json.get_object().if_contains("links");
  std::int64_t size = 0;
  if (size_json == nullptr || half == nullptr || !half->is_array() || !FromJson(*size_json, size) ||
      size < 0 || size > kMostGpus ||
      half->get_array().size() != static_cast<std::size_t>(size * (size - 1) / 2)) {
    return Expected("a size and the links of every pair");
  }
  links = model::LinkMatrix(static_cast<std::size_t>(size));
  auto next = half->get_array().begin();
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (std::size_t b = a + 1; b < links.size(); ++b, ++next) {
      model::Link link;
      if (auto read = FromJson(*next, link); !read) return std::move(read).error();
      links.Set(a, b, link);
    }
  }
  return {};
}

}  // namespace gs::recording
