#include "programs/webhook/certificate_objects.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/json/object_reader.h"
#include "adapters/json/parse.h"
#include "adapters/kube/login/base64.h"

namespace gs::webhook {
namespace {

namespace json = boost::json;

constexpr std::string_view kIssuer = "gpu.scheduling/issued-by";
constexpr std::string_view kIssuerName = "gpu-scheduler-webhook";

// The member of that name, or null where it is missing or the value is no object.
const json::value* Member(const json::value* value, std::string_view name) {
  const auto* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string TextAt(const json::value* value, std::string_view name) {
  const auto* member = Member(value, name);
  const auto* text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? "" : std::string(*text);
}

Result<json::value> ParseObject(std::string_view text) {
  auto value = gs::json::ParseJson(text);
  if (value && !value->is_object()) {
    return Error(ErrorKind::kInvalid, "expected an object, got " + gs::json::Describe(*value));
  }
  return value;
}

Result<std::string> Decode(const json::value* data, std::string_view name) {
  return kube::DecodeBase64(TextAt(data, name)).Within("data[" + std::string(name) + "]");
}

json::object& ObjectAt(json::object& parent, std::string_view name) {
  json::value& member = parent[name];
  if (!member.is_object()) member = json::object();
  return member.get_object();
}

}  // namespace

Result<CertificateSecret> CertificateSecret::Parse(std::string_view text) {
  auto value = ParseObject(text);
  if (!value) return std::move(value).error();
  CertificateSecret secret;
  const auto* data = Member(&*value, "data");
  auto& kept = secret.kept_;
  const std::pair<std::string_view, std::string*> fields[] = {
      {"tls.crt", &kept.serving.certificate_pem}, {"tls.key", &kept.serving.key_pem},
      {"ca.crt", &kept.authorities_pem},          {"next.crt", &kept.next.certificate_pem},
      {"next.key", &kept.next.key_pem},
  };
  for (const auto& [name, field] : fields) {
    auto decoded = Decode(data, name);
    if (!decoded) return std::move(decoded).error();
    *field = *std::move(decoded);
  }
  const auto* annotations = Member(Member(&*value, "metadata"), "annotations");
  secret.is_ours_ = !secret.is_filled() || TextAt(annotations, kIssuer) == kIssuerName;
  secret.object_ = std::move(value->get_object());
  return secret;
}

std::string CertificateSecret::With(const certificates::KeptCertificates& kept) const {
  json::object object = object_;
  ObjectAt(ObjectAt(object, "metadata"), "annotations")[kIssuer] = kIssuerName;
  json::object& data = ObjectAt(object, "data");
  const auto set = [&](std::string_view name, const std::string& text) {
    if (text.empty()) {
      data.erase(name);
    } else {
      data[name] = kube::EncodeBase64(text);
    }
  };
  set("tls.crt", kept.serving.certificate_pem);
  set("tls.key", kept.serving.key_pem);
  set("ca.crt", kept.authorities_pem);
  set("next.crt", kept.next.certificate_pem);
  set("next.key", kept.next.key_pem);
  return json::serialize(object);
}

std::string TrustConfiguration::common_pem() const {
  if (bundles_pem.empty()) return "";
  const auto is_first = [&](const auto& bundle) { return bundle == bundles_pem.front(); };
  return std::all_of(bundles_pem.begin(), bundles_pem.end(), is_first) ? bundles_pem.front() : "";
}

Result<TrustConfiguration> ParseConfiguration(std::string_view text) {
  const auto value = ParseObject(text);
  if (!value) return value.error();
  TrustConfiguration configuration;
  configuration.resource_version = TextAt(Member(&*value, "metadata"), "resourceVersion");
  const auto* webhooks = Member(&*value, "webhooks");
  const auto* list = webhooks == nullptr ? nullptr : webhooks->if_array();
  for (const auto& webhook : list == nullptr ? json::array() : *list) {
    const auto bundle = kube::DecodeBase64(TextAt(Member(&webhook, "clientConfig"), "caBundle"));
    // What cannot be read is replaced like anything else that is wrong.
    configuration.bundles_pem.push_back(bundle ? *bundle : "");
  }
  return configuration;
}

std::string TrustPatch(const TrustConfiguration& configuration,
                       const std::string& authorities_pem) {
  json::array steps{json::object{{"op", "test"},
                                 {"path", "/metadata/resourceVersion"},
                                 {"value", configuration.resource_version}}};
  for (std::size_t i = 0; i < configuration.bundles_pem.size(); ++i) {
    steps.push_back(
        json::object{{"op", "add"},
                     {"path", "/webhooks/" + std::to_string(i) + "/clientConfig/caBundle"},
                     {"value", kube::EncodeBase64(authorities_pem)}});
  }
  return json::serialize(steps);
}

}  // namespace gs::webhook
