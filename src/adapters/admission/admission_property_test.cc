// Of any pod: admitting it twice changes it once, what the user wrote stays as it was and in its
// order, and every container knows exactly once what it may see.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/admission/print_answer.h"
#include "adapters/admission/read_review.h"
#include "adapters/localcluster/patch/json_patch.h"

namespace gs::admission {
namespace {

namespace json = boost::json;

const std::vector<std::string> kVariables{"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                          "NVIDIA_VISIBLE_DEVICES", "PATH", "MINE"};

json::value Annotation(const char* name) {
  const std::string path = "metadata.annotations['" + std::string(name) + "']";
  return json::object{{"fieldRef", json::object{{"fieldPath", path}}}};
}

json::value AnyVariable() {
  json::object variable{{"name", *rc::gen::elementOf(kVariables)}};
  switch (*rc::gen::inRange(0, 5)) {
    case 0: variable["value"] = *rc::gen::element("", "0", "void", "all", "PCI_BUS_ID"); break;
    case 1: variable["valueFrom"] = Annotation("gpu.scheduling/visible-devices"); break;
    case 2: variable["valueFrom"] = Annotation("gpu.scheduling/uuids"); break;
    case 3:
      variable["valueFrom"] = json::object{{"secretKeyRef", json::object{{"name", "s"}}}};
      break;
    default: break;
  }
  return variable;
}

json::array AnyList(int most, json::value (*make)()) {
  json::array list;
  for (int i = *rc::gen::inRange(0, most + 1); i > 0; --i) list.push_back(make());
  return list;
}

json::value AnyContainer() {
  json::object container{{"name", "c"}};
  if (*rc::gen::arbitrary<bool>()) container["env"] = AnyList(6, AnyVariable);
  if (*rc::gen::inRange(0, 3) == 0) {
    const auto count = std::to_string(*rc::gen::inRange(0, 4));
    container["resources"] = json::object{{"limits", json::object{{"nvidia.com/gpu", count}}}};
  }
  return container;
}

json::value AnyToleration() {
  json::object toleration{{"key", *rc::gen::element("nvidia.com/gpu", "other")}};
  if (*rc::gen::arbitrary<bool>()) toleration["operator"] = "Exists";
  if (*rc::gen::arbitrary<bool>()) toleration["effect"] = "NoExecute";
  return toleration;
}

json::object AnyPod() {
  json::object annotations;
  if (*rc::gen::arbitrary<bool>()) annotations["gpu.scheduling/claim"] = "pair";
  json::object spec{{"schedulerName", "gpu-scheduler"}, {"containers", AnyList(3, AnyContainer)}};
  if (*rc::gen::arbitrary<bool>()) spec["initContainers"] = AnyList(2, AnyContainer);
  if (*rc::gen::arbitrary<bool>()) spec["tolerations"] = AnyList(2, AnyToleration);
  return {{"metadata", json::object{{"annotations", annotations}}}, {"spec", std::move(spec)}};
}

admit::Verdict VerdictOn(const json::value& pod, const admit::Policy& policy) {
  const json::object resource{{"group", ""}, {"version", "v1"}, {"resource", "pods"}};
  const json::object request{
      {"uid", "u"}, {"operation", "CREATE"}, {"resource", resource}, {"object", pod}};
  const auto question = ReadReview(json::serialize(json::object{
      {"kind", "AdmissionReview"}, {"apiVersion", "admission.k8s.io/v1"}, {"request", request}}));
  RC_ASSERT(question.ok());
  return Admit(question->review, policy);
}

bool IsOurs(std::string_view name) {
  return name == kVariables[0] || name == kVariables[1] || name == kVariables[2];
}

// Of the variables that are nobody's but the user's.
json::array OwnVariables(const json::value& container) {
  json::array own;
  const auto* env = container.as_object().if_contains("env");
  if (env == nullptr) return own;
  for (const auto& variable : env->as_array()) {
    if (!IsOurs(variable.at("name").as_string())) own.push_back(variable);
  }
  return own;
}

int CountOf(const json::value& container, std::string_view name) {
  int count = 0;
  for (const auto& variable : container.at("env").as_array()) {
    if (variable.at("name").as_string() == name) ++count;
  }
  return count;
}

void CheckContainers(const json::value& before, const json::value& after, const char* field,
                     std::string_view told_by) {
  const auto* list = before.at("spec").as_object().if_contains(field);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->as_array().size(); ++i) {
    const auto& container = after.at("spec").at(field).at(i);
    RC_ASSERT(OwnVariables(container) == OwnVariables(list->at(i)));
    RC_ASSERT(CountOf(container, told_by) == 1);
  }
}

RC_GTEST_PROP(AdmissionProperty, AdmittingTwiceChangesOnce, ()) {
  const json::value pod = AnyPod();
  const admit::Policy policy{SchedulerName("gpu-scheduler"),
                             *rc::gen::element(admit::Handover::kEnv, admit::Handover::kUuid),
                             *rc::gen::element(std::string(), std::string("nvidia.com/gpu"))};
  const auto verdict = VerdictOn(pod, policy);
  const auto* patch = std::get_if<admit::Patch>(&verdict);
  if (patch == nullptr) return;
  const auto after = localcluster::ApplyJsonPatch(pod, json::parse(PrintPatch(*patch)));
  RC_ASSERT(after.ok());
  RC_ASSERT(VerdictOn(*after, policy) == admit::Verdict(admit::Patch{}));
  const bool is_by_uuid = policy.handover == admit::Handover::kUuid &&
                          pod.at("metadata").at("annotations").as_object().size() == 1;
  const auto& told_by = kVariables[is_by_uuid ? 2 : 0];
  CheckContainers(pod, *after, "containers", told_by);
  CheckContainers(pod, *after, "initContainers", told_by);
}

}  // namespace
}  // namespace gs::admission
