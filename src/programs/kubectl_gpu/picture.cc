#include "programs/kubectl_gpu/picture.h"

#include <array>
#include <chrono>
#include <utility>

#include "adapters/json/print.h"
#include "adapters/yaml/print.h"

namespace gs::kubectl_gpu {

PodWord ReadPodWord(const std::string& word, const Picture& picture) {
  const std::size_t slash = word.find('/');
  if (slash == std::string::npos) return {picture.ns, PodName(word)};
  return {Namespace(word.substr(0, slash)), PodName(word.substr(slash + 1))};
}

std::string PrintAge(Duration age) {
  using std::chrono::seconds;
  constexpr std::array<std::pair<std::int64_t, char>, 4> kUnits{
      {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}}};
  std::int64_t left = std::chrono::duration_cast<seconds>(age).count();
  std::string text;
  for (const auto& [length, name] : kUnits) {
    const bool is_second = !text.empty();
    if (left >= length) text += std::to_string(left / length) + name;
    left %= length;
    if (is_second) break;
  }
  return text.empty() ? "0s" : text;
}

std::string PrintObject(const boost::json::object& object, AnswerForm form) {
  return form == AnswerForm::kYaml ? yaml::PrintYaml(object) : json::PrettyJson(object) + "\n";
}

}  // namespace gs::kubectl_gpu
