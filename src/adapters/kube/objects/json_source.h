// JsonSource: what a decoder is given: the text of an object, or a document of it that somebody has
// parsed, so that nothing is parsed twice. Converts from both; refers to either, so it lives no
// longer than the call.
#pragma once

#include <concepts>
#include <string_view>

namespace gs::kube {

class JsonDocument;

class JsonSource {
 public:
  template <std::convertible_to<std::string_view> Text>
  JsonSource(const Text& text) : text_(text) {}  // NOLINT(google-explicit-constructor): see above
  JsonSource(const JsonDocument& document);      // NOLINT(google-explicit-constructor): see above

  [[nodiscard]] std::string_view text() const { return text_; }
  // Null: the text is still to be parsed.
  [[nodiscard]] const JsonDocument* document() const { return document_; }

 private:
  std::string_view text_;
  const JsonDocument* document_ = nullptr;
};

}  // namespace gs::kube
