// What all decoders of API objects share: parse, read, and name the object in a refusal. Internal
// to this folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "adapters/kube/objects/json_source.h"
#include "adapters/kube/objects/json_view.h"
#include "base/result.h"
#include "core/model/labels.h"

namespace gs::kube {

// "pod team/a"; only as much of the name as can be read.
[[nodiscard]] std::string TitleOf(std::string_view what, const JsonView& root);

[[nodiscard]] model::Labels ReadLabels(const JsonView& labels);

// `read` fills a Value from the root and reports through the views it is given.
template <class Value, class Read>
[[nodiscard]] Result<Value> DecodeParsed(std::string_view what, const JsonDocument& document,
                                         Read read) {
  Value value = read(document.root());
  auto done = document.Finish();
  if (!done) return std::move(done).error().Within(TitleOf(what, document.root()));
  return value;
}

template <class Value, class Read>
[[nodiscard]] Result<Value> DecodeObject(std::string_view what, const JsonSource& json, Read read) {
  if (json.document() != nullptr) return DecodeParsed<Value>(what, *json.document(), read);
  const auto document = JsonDocument::Parse(json.text());
  if (!document) return Error(document.error()).Within(std::string(what));
  return DecodeParsed<Value>(what, *document, read);
}

}  // namespace gs::kube
