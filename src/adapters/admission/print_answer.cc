#include "adapters/admission/print_answer.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "adapters/kube/login/base64.h"
#include "base/text.h"

namespace gs::admission {
namespace {

namespace json = boost::json;
using admit::EnvVariable;
using admit::PatchVerb;
using admit::ValueSource;

// What an API server tells of objects that are wrong in themselves.
constexpr int kUnprocessable = 422;

constexpr std::array kVerbs{
    std::pair{PatchVerb::kAdd, std::string_view("add")},
    std::pair{PatchVerb::kReplace, std::string_view("replace")},
    std::pair{PatchVerb::kRemove, std::string_view("remove")},
};

json::value ToJson(const EnvVariable& variable) {
  if (variable.source == ValueSource::kText) {
    return {{"name", variable.name}, {"value", variable.value}};
  }
  const std::string path = "metadata.annotations['" + variable.value + "']";
  const json::object field{{"apiVersion", "v1"}, {"fieldPath", path}};
  return {{"name", variable.name}, {"valueFrom", json::object{{"fieldRef", field}}}};
}

json::value ToJson(const model::Toleration& toleration) {
  json::object object{{"key", toleration.key}, {"operator", ToString(toleration.op)}};
  if (!toleration.value.empty()) object["value"] = toleration.value;
  if (toleration.effect) object["effect"] = ToString(*toleration.effect);
  return object;
}

template <class Value>
json::value ToJson(const std::vector<Value>& values) {
  json::array list;
  for (const auto& value : values) list.push_back(ToJson(value));
  return list;
}

json::value ToJson(std::monostate) { return nullptr; }

json::object ToJson(const admit::PatchStep& step) {
  json::object object{{"op", text::NameOf(kVerbs, step.verb)}, {"path", step.path}};
  if (step.verb != PatchVerb::kRemove) {
    object["value"] = std::visit([](const auto& value) { return ToJson(value); }, step.value);
  }
  return object;
}

json::object Response(const std::string& uid, const admit::Verdict& verdict) {
  if (const auto* refused = std::get_if<admit::Refused>(&verdict)) {
    return {{"uid", uid},
            {"allowed", false},
            {"status",
             json::object{
                 {"code", kUnprocessable}, {"reason", "Invalid"}, {"message", refused->message}}}};
  }
  json::object response{{"uid", uid}, {"allowed", true}};
  const auto& patch = std::get<admit::Patch>(verdict);
  if (patch.empty()) return response;
  response["patchType"] = "JSONPatch";
  response["patch"] = kube::EncodeBase64(PrintPatch(patch));
  return response;
}

}  // namespace

std::string PrintPatch(const admit::Patch& patch) {
  json::array steps;
  for (const auto& step : patch) steps.push_back(ToJson(step));
  return json::serialize(steps);
}

std::string PrintAnswer(const std::string& uid, const admit::Verdict& verdict) {
  return json::serialize(json::object{{"apiVersion", "admission.k8s.io/v1"},
                                      {"kind", "AdmissionReview"},
                                      {"response", Response(uid, verdict)}});
}

}  // namespace gs::admission
