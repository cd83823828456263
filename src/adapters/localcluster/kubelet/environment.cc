#include "adapters/localcluster/kubelet/environment.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/objects/metadata.h"
#include "base/quantity.h"

namespace gs::localcluster {
namespace {

// Absent: an optional source that is not there.
using Value = std::optional<std::string>;

void Set(Variables& variables, const std::string& name, std::string value) {
  std::erase_if(variables, [&](const auto& each) { return each.first == name; });
  variables.emplace_back(name, std::move(value));
}

std::string Word(std::string_view kind) { return kind == "Secret" ? "secret" : "configmap"; }

Result<std::string> DataOf(const Json& object, std::string_view key) {
  const std::string text(Text(object, {"data", key}));
  if (KindOf(object) != "Secret") return text;
  return kube::DecodeBase64(text);
}

class Resolver {
 public:
  Resolver(const Json& pod, const Json& container, const EnvironmentSources& sources)
      : pod_(pod), container_(container), sources_(sources) {}

  Result<Variables> Run() && {
    for (const Json& source : Items(container_, {"envFrom"})) {
      if (auto added = AddAll(source); !added) return std::move(added).error();
    }
    for (const Json& variable : Items(container_, {"env"})) {
      auto value = ValueOf(variable);
      if (!value) return std::move(value).error();
      if (*value) Set(variables_, std::string(Text(variable, {"name"})), **std::move(value));
    }
    return std::move(variables_);
  }

 private:
  Result<void> AddAll(const Json& source) {
    const std::string prefix(Text(source, {"prefix"}));
    for (const auto& [field, kind] :
         {std::pair("configMapRef", "ConfigMap"), std::pair("secretRef", "Secret")}) {
      if (Find(source, {field}) == nullptr) continue;
      const auto name = Text(source, {field, "name"});
      const auto object = sources_.find(kind, name);
      if (!object) {
        if (Bool(source, {field, "optional"})) continue;
        return NotFound(kind, name);
      }
      for (const auto& entry : Members(*object, {"data"})) {
        auto value = DataOf(*object, entry.key());
        if (!value) return std::move(value).error();
        Set(variables_, prefix + std::string(entry.key()), *std::move(value));
      }
    }
    return {};
  }

  Result<Value> ValueOf(const Json& variable) {
    if (Find(variable, {"valueFrom"}) == nullptr) {
      return Value(Expand(Text(variable, {"value"}), variables_));
    }
    if (Find(variable, {"valueFrom", "fieldRef"}) != nullptr) {
      return FieldOf(Text(variable, {"valueFrom", "fieldRef", "fieldPath"}));
    }
    if (const Json* reference = Find(variable, {"valueFrom", "resourceFieldRef"})) {
      return AmountOf(*reference);
    }
    if (const Json* reference = Find(variable, {"valueFrom", "configMapKeyRef"})) {
      return KeyOf("ConfigMap", *reference);
    }
    if (const Json* reference = Find(variable, {"valueFrom", "secretKeyRef"})) {
      return KeyOf("Secret", *reference);
    }
    return Error(ErrorKind::kUnsupported, "invalid variable " +
                                              std::string(Text(variable, {"name"})) +
                                              ": nothing known in valueFrom");
  }

  Result<Value> KeyOf(std::string_view kind, const Json& reference) {
    const auto name = Text(reference, {"name"});
    const auto key = Text(reference, {"key"});
    const bool is_optional = Bool(reference, {"optional"});
    const auto object = sources_.find(kind, name);
    if (!object) return is_optional ? Result<Value>(Value()) : NotFound(kind, name);
    if (Find(*object, {"data", key}) == nullptr) {
      if (is_optional) return Value();
      return Error(ErrorKind::kNotFound,
                   "couldn't find key " + std::string(key) + " in " + std::string(kind) + " " +
                       std::string(NamespaceOf(pod_)) + "/" + std::string(name));
    }
    auto value = DataOf(*object, key);
    if (!value) return std::move(value).error();
    return Value(*std::move(value));
  }

  // A label or annotation that is not there is empty, as in a kubelet.
  Result<Value> FieldOf(std::string_view path) const {
    for (const auto* map : {"labels", "annotations"}) {
      const std::string start = "metadata." + std::string(map) + "['";
      if (!path.starts_with(start) || !path.ends_with("']")) continue;
      const auto key = path.substr(start.size(), path.size() - start.size() - 2);
      return Value(std::string(Text(pod_, {"metadata", map, key})));
    }
    if (path == "metadata.name") return Value(std::string(NameOf(pod_)));
    if (path == "metadata.namespace") return Value(std::string(NamespaceOf(pod_)));
    if (path == "metadata.uid") return Value(std::string(UidOf(pod_)));
    if (path == "spec.nodeName") return Value(std::string(Text(pod_, {"spec", "nodeName"})));
    if (path == "spec.serviceAccountName") {
      return Value(std::string(Text(pod_, {"spec", "serviceAccountName"})));
    }
    if (path == "status.hostIP" || path == "status.hostIPs") {
      return Value(sources_.addresses.host_ip);
    }
    if (path == "status.podIP" || path == "status.podIPs") return Value(sources_.addresses.pod_ip);
    return Error(ErrorKind::kUnsupported, "unsupported fieldPath: " + std::string(path));
  }

  [[nodiscard]] const Json& ContainerNamed(std::string_view name) const {
    for (const auto* list : {"containers", "initContainers"}) {
      for (const Json& each : Items(pod_, {"spec", list})) {
        if (Text(each, {"name"}) == name) return each;
      }
    }
    return container_;
  }

  // "limits.cpu" in units of the divisor, rounded up.
  Result<Value> AmountOf(const Json& reference) const {
    const auto resource = Text(reference, {"resource"});
    const auto dot = resource.find('.');
    if (dot == std::string_view::npos) {
      return Error(ErrorKind::kUnsupported,
                   "unsupported container resource: " + std::string(resource));
    }
    const auto list = resource.substr(0, dot);
    const auto name = resource.substr(dot + 1);
    const Json& container = ContainerNamed(Text(reference, {"containerName"}));
    std::string_view text = Text(container, {"resources", list, name});
    if (text.empty() && list == "limits") text = Text(sources_.allocatable, {name});
    const auto amount = Quantity::Parse(text.empty() ? "0" : text);
    auto divisor_text = Text(reference, {"divisor"});
    if (divisor_text.empty() || divisor_text == "0") divisor_text = "1";
    const auto divisor = Quantity::Parse(divisor_text);
    if (!amount || !divisor || divisor->MilliValue() <= 0) {
      return Error(ErrorKind::kInvalid, "no amount: " + std::string(resource));
    }
    // Thousandths would not hold the bytes of a large machine.
    const bool is_whole = name != "cpu";
    const std::int64_t units = is_whole ? amount->Value() : amount->MilliValue();
    const std::int64_t per = is_whole ? divisor->Value() : divisor->MilliValue();
    return Value(std::to_string(units / per + (units % per != 0 ? 1 : 0)));
  }

  static Error NotFound(std::string_view kind, std::string_view name) {
    return {ErrorKind::kNotFound, Word(kind) + " \"" + std::string(name) + "\" not found"};
  }

  const Json& pod_;
  const Json& container_;
  const EnvironmentSources& sources_;
  Variables variables_;
};

const std::string* FindVariable(const Variables& variables, std::string_view name) {
  const auto found = std::find_if(variables.rbegin(), variables.rend(),
                                  [&](const auto& each) { return each.first == name; });
  return found == variables.rend() ? nullptr : &found->second;
}

}  // namespace

Result<Variables> ResolveEnvironment(const Json& pod, const Json& container,
                                     const EnvironmentSources& sources) {
  return Resolver(pod, container, sources).Run();
}

std::string Expand(std::string_view text, const Variables& variables) {
  std::string expanded;
  while (!text.empty()) {
    const auto sign = text.find('$');
    expanded += text.substr(0, sign);
    if (sign == std::string_view::npos) break;
    text.remove_prefix(sign);
    const auto end = text.find(')');
    if (text.starts_with("$$")) {
      expanded += '$';
      text.remove_prefix(2);
    } else if (text.starts_with("$(") && end != std::string_view::npos) {
      const std::string* value = FindVariable(variables, text.substr(2, end - 2));
      expanded += value == nullptr ? text.substr(0, end + 1) : std::string_view(*value);
      text.remove_prefix(end + 1);
    } else {
      expanded += '$';
      text.remove_prefix(1);
    }
  }
  return expanded;
}

}  // namespace gs::localcluster
