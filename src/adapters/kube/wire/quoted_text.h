// Text from outside as a string of JSON.
#pragma once

#include <string>
#include <string_view>

namespace gs::kube {

// With its quotes. What is no UTF-8 becomes U+FFFD, as an API server writes it.
void AppendQuoted(std::string_view text, std::string& json);

}  // namespace gs::kube
