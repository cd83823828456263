#include "core/model/term_key.h"

namespace gs::model {
namespace {

// Texts come from users and may contain any sign, so their lengths are written too.
void Put(std::string& key, const std::string& text) {
  key += std::to_string(text.size()) + ':' + text;
}

void Put(std::string& key, const std::optional<LabelSelector>& selector) {
  key += selector ? KeyOf(*selector) : "-";
}

}  // namespace

std::string KeyOf(const LabelSelector& selector) {
  std::string key = "(";
  for (const Requirement& requirement : selector.requirements) {
    Put(key, requirement.key);
    key += ToString(requirement.op);
    for (const std::string& value : requirement.values) Put(key, value);
    key += ';';
  }
  return key + ')';
}

std::string KeyOfPods(const PodAffinityTerm& term) {
  std::string key;
  Put(key, term.selector);
  for (const Namespace& ns : term.namespaces) Put(key, ns.text());
  Put(key, term.namespace_selector);
  return key;
}

}  // namespace gs::model
