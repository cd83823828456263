#include "adapters/admission/read_review.h"

#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "base/saturated.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"

namespace gs::admission {
namespace {

namespace names = model::names;
using admit::Action;
using admit::Container;
using admit::EnvVariable;
using admit::ValueSource;
using kube::JsonView;

constexpr std::array kOurAnnotations{names::kMap,       names::kClaim,
                                     names::kAllocated, names::kVisibleDevices,
                                     names::kUuids,     names::kAllocation};
constexpr std::string_view kAnnotationPrefix = "metadata.annotations['";
constexpr std::string_view kAnnotationSuffix = "']";

// Changes are addressed by position, so that an element which is none cannot be passed over.
bool IsObject(const JsonView& item) {
  if (!item.is_present()) item.Fail("expected an object, got null");
  return item.is_present();
}

// The annotation that a variable refers to, and nothing else; empty: something else.
std::string_view AnnotationOf(const JsonView& value_from) {
  const JsonView field = value_from.Field("fieldRef");
  const std::string_view version = field.Field("apiVersion").Word();
  const std::string_view path = field.Field("fieldPath").Word();
  const bool is_annotation =
      value_from.Members().size() == 1 && (version.empty() || version == "v1") &&
      path.starts_with(kAnnotationPrefix) && path.ends_with(kAnnotationSuffix) &&
      path.size() > kAnnotationPrefix.size() + kAnnotationSuffix.size();
  if (!is_annotation) return {};
  return path.substr(kAnnotationPrefix.size(),
                     path.size() - kAnnotationPrefix.size() - kAnnotationSuffix.size());
}

EnvVariable ReadVariable(const JsonView& item) {
  EnvVariable variable{.name = item.Field("name").Text()};
  const JsonView value_from = item.Field("valueFrom");
  if (!value_from.is_present()) {
    variable.value = item.Field("value").Text();
    return variable;
  }
  variable.value = AnnotationOf(value_from);
  variable.source = variable.value.empty() ? ValueSource::kOther : ValueSource::kAnnotation;
  return variable;
}

// What is no quantity is refused by the API server itself, with better words.
std::int64_t ReadAmount(const JsonView& resources, std::string_view name) {
  for (const auto* list : {"limits", "requests"}) {
    const JsonView amount = resources.Field(list).Field(name);
    if (amount.is_present()) return amount.Amount().Value();
  }
  return 0;
}

bool HasGpuParts(const JsonView& resources) {
  for (const auto* list : {"limits", "requests"}) {
    for (const auto& [name, amount] : resources.Field(list).Members()) {
      if (model::IsGpuResource(name) && !model::IsWholeGpuResource(name) &&
          amount.Amount().Value() > 0) {
        return true;
      }
    }
  }
  return false;
}

Container ReadContainer(const JsonView& item) {
  Container container{.name = item.Field("name").Text()};
  for (const JsonView& variable : item.Field("env").Items()) {
    if (IsObject(variable)) container.env.push_back(ReadVariable(variable));
  }
  const JsonView resources = item.Field("resources");
  for (const auto name : model::kWholeGpuResources) {
    container.gpus = SaturatedAdd(container.gpus, ReadAmount(resources, name));
  }
  container.has_gpu_parts = HasGpuParts(resources);
  container.is_privileged = item.Field("securityContext").Field("privileged").Bool();
  return container;
}

std::vector<Container> ReadContainers(const JsonView& list) {
  std::vector<Container> containers;
  for (const JsonView& item : list.Items()) {
    if (IsObject(item)) containers.push_back(ReadContainer(item));
  }
  return containers;
}

void ReadTolerations(const JsonView& list, admit::Review& review) {
  for (const JsonView& item : list.Items()) {
    review.has_tolerations = true;
    const std::string_view op = item.Field("operator").Word();
    const std::string_view effect = item.Field("effect").Word();
    const auto known_op = model::ParseTolerationOperator(op.empty() ? "Equal" : op);
    const auto known_effect = model::ParseTaintEffect(effect);
    if (!known_op || (!effect.empty() && !known_effect)) continue;
    review.tolerations.push_back({.key = item.Field("key").Text(),
                                  .value = item.Field("value").Text(),
                                  .op = *known_op,
                                  .effect = known_effect});
  }
}

void MarkOld(const JsonView& old_containers, std::vector<Container>& containers) {
  std::set<std::string_view> old;
  for (const JsonView& item : old_containers.Items()) old.insert(item.Field("name").Word());
  for (Container& container : containers) container.is_new = !old.contains(container.name);
}

void ReadPod(const JsonView& request, Question& question) {
  admit::Review& review = question.review;
  const JsonView pod = request.Field("object");
  const JsonView spec = pod.Field("spec");
  if (!spec.is_present()) spec.Fail("is missing");
  const JsonView annotations = pod.Field("metadata").Field("annotations");
  for (const auto name : kOurAnnotations) {
    const JsonView annotation = annotations.Field(name);
    if (annotation.is_present()) review.annotations.Set(name, annotation.Text());
  }
  review.scheduler = SchedulerName(spec.Field("schedulerName").Text());
  review.node = NodeName(spec.Field("nodeName").Text());
  review.init_containers = ReadContainers(spec.Field("initContainers"));
  review.containers = ReadContainers(spec.Field("containers"));
  review.ephemeral_containers = ReadContainers(spec.Field("ephemeralContainers"));
  MarkOld(request.Field("oldObject").Field("spec").Field("ephemeralContainers"),
          review.ephemeral_containers);
  ReadTolerations(spec.Field("tolerations"), review);
  question.name = pod.Field("metadata").Field("name").Text();
  if (question.name.empty()) question.name = pod.Field("metadata").Field("generateName").Text();
  question.claim = ClaimName(annotations.Field(names::kClaim).Text());
}

Action ActionOf(const JsonView& request) {
  const JsonView resource = request.Field("resource");
  const bool is_pod = resource.Field("group").Word().empty() &&
                      resource.Field("version").Word() == "v1" &&
                      resource.Field("resource").Word() == "pods";
  if (!is_pod) return Action::kOther;
  const std::string_view part = request.Field("subResource").Word();
  const std::string_view operation = request.Field("operation").Word();
  if (part.empty() && operation == "CREATE") return Action::kCreate;
  if (part == "ephemeralcontainers" && operation == "UPDATE") {
    return Action::kAddEphemeralContainers;
  }
  return Action::kOther;
}

Question ReadQuestion(const JsonView& root) {
  const JsonView kind = root.Field("kind");
  if (kind.Word() != "AdmissionReview") kind.Fail("expected AdmissionReview");
  const JsonView version = root.Field("apiVersion");
  if (version.Word() != "admission.k8s.io/v1") version.Fail("expected admission.k8s.io/v1");
  const JsonView request = root.Field("request");
  Question question{.uid = request.Field("uid").RequiredText(),
                    .name = "",
                    .ns = Namespace(request.Field("namespace").Text()),
                    .claim = {},
                    .review = {}};
  question.review.action = ActionOf(request);
  if (question.review.action != Action::kOther) ReadPod(request, question);
  return question;
}

}  // namespace

Result<Question> ReadReview(std::string_view json) {
  auto document = kube::JsonDocument::Parse(json);
  if (!document) return std::move(document).error();
  Question question = ReadQuestion(document->root());
  if (auto fine = document->Finish(); !fine) return std::move(fine).error();
  return question;
}

}  // namespace gs::admission
