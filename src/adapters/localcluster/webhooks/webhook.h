// Webhook: one mutating webhook as its configuration describes it: when it is to be asked, where,
// and what to do if it does not answer. Compiled once per change of the configuration.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/localcluster/cel/cel_program.h"
#include "adapters/localcluster/rules/faults.h"
#include "adapters/localcluster/select/label_selector.h"
#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

struct WebhookRule {
  std::vector<std::string> operations;
  std::vector<std::string> groups;
  std::vector<std::string> versions;
  std::vector<std::string> resources;  // "pods", "pods/status", "*", "*/*", "pods/*"
  std::string scope = "*";
};

// Where it listens.
struct WebhookAddress {
  std::string url;  // or else a service
  std::string service_namespace;
  std::string service_name;
  std::string path;
  std::int64_t port = 443;
  std::string ca_pem;  // empty: the system's authorities
};

struct MatchCondition {
  std::string name;
  CelProgram program;
};

struct Webhook {
  std::string name;
  std::vector<WebhookRule> rules;
  LabelSelector namespaces;
  LabelSelector objects;
  std::vector<MatchCondition> conditions;
  WebhookAddress address;
  std::int64_t timeout_seconds = 10;
  bool is_required = true;  // failurePolicy Fail

  // By its rules alone.
  [[nodiscard]] bool IsAbout(const Attempt& attempt) const;
};

// What is wrong is told in the words of the server, about `field`.
[[nodiscard]] std::vector<Webhook> CompileWebhooks(const boost::json::object& configuration,
                                                   Faults& faults);

}  // namespace gs::localcluster
