// The head of a message as HTTP/2 writes it: fields with lower-case names, and pseudo fields such
// as ":path" instead of a start line. Inside this folder only.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/http/message.h"
#include "base/result.h"

namespace gs::http {

// Borrows all three texts; `length` is the size of the body. Refuses headers that speak of the
// connection, which HTTP/2 forbids. Requires: checked by CheckRequest().
[[nodiscard]] Result<std::vector<nghttp2_nv>> FieldsOf(const Request& request,
                                                       const std::string& authority,
                                                       const std::string& length);

// Adds one field of a response, as it came.
void TakeField(Response& response, const std::uint8_t* name, std::size_t name_size,
               const std::uint8_t* value, std::size_t value_size);

}  // namespace gs::http
