#include "adapters/localcluster/webhooks/webhook.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value_from.hpp>

#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

std::vector<std::string> Texts(const json::object& object, std::string_view field) {
  std::vector<std::string> texts;
  const auto* list = FindArray(object, {field});
  if (list == nullptr) return texts;
  for (const auto& item : *list) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

bool Names(const std::vector<std::string>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& one) { return one == "*" || one == word; });
}

std::string_view NameOf(Operation operation) {
  switch (operation) {
    case Operation::kCreate: return "CREATE";
    case Operation::kUpdate: return "UPDATE";
    case Operation::kDelete: break;
  }
  return "DELETE";
}

// "*" is every resource without its parts, "*/*" with them.
bool NamesResource(const std::vector<std::string>& patterns, const std::string& plural,
                   const std::string& part) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    if (pattern == "*/*") return true;
    const auto slash = pattern.find('/');
    const auto resource = pattern.substr(0, slash);
    const auto wanted = slash == pattern.npos ? std::string() : pattern.substr(slash + 1);
    return (resource == "*" || resource == plural) && (wanted == part || wanted == "*");
  });
}

std::vector<WebhookRule> CompileRules(const json::object& webhook) {
  std::vector<WebhookRule> rules;
  const auto* list = FindArray(webhook, {"rules"});
  if (list == nullptr) return rules;
  for (const auto& item : *list) {
    if (!item.is_object()) continue;
    const auto& rule = item.get_object();
    const auto scope = Text(rule, {"scope"});
    rules.push_back({.operations = Texts(rule, "operations"),
                     .groups = Texts(rule, "apiGroups"),
                     .versions = Texts(rule, "apiVersions"),
                     .resources = Texts(rule, "resources"),
                     .scope = scope.empty() ? "*" : std::string(scope)});
  }
  return rules;
}

LabelSelector CompileSelector(const json::object& webhook, std::string_view name,
                              const std::string& field, Faults& faults) {
  const auto* selector = Find(webhook, {name});
  if (selector == nullptr) return {};
  auto compiled = LabelSelector::FromObject(selector);
  if (compiled) return *std::move(compiled);
  faults.Invalid(field + "." + std::string(name), *selector, compiled.error().message());
  return {};
}

std::vector<MatchCondition> CompileConditions(const json::object& webhook, const std::string& field,
                                              Faults& faults) {
  static const std::vector<CelVariable> kVariables{
      {.name = "object"}, {.name = "oldObject"}, {.name = "request"}};
  std::vector<MatchCondition> conditions;
  const auto* list = FindArray(webhook, {"matchConditions"});
  if (list == nullptr) return conditions;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_object()) continue;
    const auto& condition = (*list)[i].get_object();
    const auto expression = Text(condition, {"expression"});
    auto program = CelProgram::Compile(expression, kVariables);
    if (!program) {
      faults.Invalid(At(field + ".matchConditions", i) + ".expression", json::string(expression),
                     "compilation failed: " + program.error().message());
      continue;
    }
    conditions.push_back(
        {.name = std::string(Text(condition, {"name"})), .program = *std::move(program)});
  }
  return conditions;
}

// What we do not need, but an API server insists on.
void CheckPromises(const json::object& webhook, const std::string& field, Faults& faults) {
  const auto effects = Text(webhook, {"sideEffects"});
  if (effects.empty()) {
    faults.Required(field + ".sideEffects", "must specify one of None, NoneOnDryRun");
  } else if (effects != "None" && effects != "NoneOnDryRun") {
    faults.Unsupported(field + ".sideEffects", effects, {"None", "NoneOnDryRun"});
  }
  const auto versions = Texts(webhook, "admissionReviewVersions");
  if (versions.empty()) {
    faults.Required(field + ".admissionReviewVersions", "must specify one of v1, v1beta1");
  } else if (!Names(versions, "v1")) {
    faults.Invalid(field + ".admissionReviewVersions", json::value_from(versions),
                   "must include at least one of v1, v1beta1");
  }
}

WebhookAddress CompileAddress(const json::object& webhook, const std::string& field,
                              Faults& faults) {
  WebhookAddress address;
  address.url = Text(webhook, {"clientConfig", "url"});
  address.service_namespace = Text(webhook, {"clientConfig", "service", "namespace"});
  address.service_name = Text(webhook, {"clientConfig", "service", "name"});
  address.path = Text(webhook, {"clientConfig", "service", "path"});
  address.port = Int(webhook, {"clientConfig", "service", "port"}, 443);
  if (address.url.empty() == address.service_name.empty()) {
    faults.Required(field + ".clientConfig", "exactly one of url or service is required");
  }
  if (!address.url.empty() && !address.url.starts_with("https://")) {
    faults.Invalid(field + ".clientConfig.url", json::string(address.url),
                   "'https' is the only allowed URL scheme; desired format: https://host[/path]");
  }
  const auto bundle = Text(webhook, {"clientConfig", "caBundle"});
  auto pem = kube::DecodeBase64(bundle);
  if (!pem) {
    faults.Invalid(field + ".clientConfig.caBundle", json::string(bundle), pem.error().message());
  } else {
    address.ca_pem = *std::move(pem);
  }
  return address;
}

}  // namespace

bool Webhook::IsAbout(const Attempt& attempt) const {
  return std::any_of(rules.begin(), rules.end(), [&](const WebhookRule& rule) {
    const bool fits_scope =
        rule.scope == "*" || (rule.scope == "Namespaced") == attempt.kind.is_namespaced;
    return fits_scope && Names(rule.operations, NameOf(attempt.operation)) &&
           Names(rule.groups, attempt.kind.group) && Names(rule.versions, attempt.kind.version) &&
           NamesResource(rule.resources, attempt.kind.plural, attempt.subresource);
  });
}

std::vector<Webhook> CompileWebhooks(const json::object& configuration, Faults& faults) {
  std::vector<Webhook> webhooks;
  const auto* list = FindArray(configuration, {"webhooks"});
  if (list == nullptr) return webhooks;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_object()) continue;
    const auto& webhook = (*list)[i].get_object();
    const auto field = At("webhooks", i);
    CheckPromises(webhook, field, faults);
    webhooks.push_back({.name = std::string(Text(webhook, {"name"})),
                        .rules = CompileRules(webhook),
                        .namespaces = CompileSelector(webhook, "namespaceSelector", field, faults),
                        .objects = CompileSelector(webhook, "objectSelector", field, faults),
                        .conditions = CompileConditions(webhook, field, faults),
                        .address = CompileAddress(webhook, field, faults),
                        .timeout_seconds = Int(webhook, {"timeoutSeconds"}, 10),
                        .is_required = Text(webhook, {"failurePolicy"}) != "Ignore"});
  }
  return webhooks;
}

}  // namespace gs::localcluster
