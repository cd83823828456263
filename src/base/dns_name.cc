#include "base/dns_name.h"

#include <string>

#include "base/text.h"
#include "base/text_cursor.h"

namespace gs {
namespace {

bool IsAlphanumeric(char letter) { return text::IsLower(letter) || text::IsDigit(letter); }

Error Advised(Error error) {
  return std::move(error).Advise("use lower case letters, digits, '-' and '.'");
}

// One part between dots. A run of '-' must be followed by a letter or digit, so a part cannot end
// with it.
Result<void> TakeLabel(TextCursor& cursor) {
  do {
    if (cursor.TakeWhile(IsAlphanumeric).empty()) {
      return Advised(cursor.Expected("a lower case letter or digit"));
    }
  } while (!cursor.TakeWhile([](char letter) { return letter == '-'; }).empty());
  return {};
}

}  // namespace

Result<void> CheckDnsSubdomain(std::string_view name) {
  if (name.size() > kMaxDnsSubdomain) {
    return Error(ErrorKind::kInvalid, "a name of " + std::to_string(name.size()) +
                                          " characters is too long; at most " +
                                          std::to_string(kMaxDnsSubdomain) + " are allowed")
        .At({1, static_cast<int>(kMaxDnsSubdomain) + 1});
  }
  TextCursor cursor(name);
  do {
    auto label = TakeLabel(cursor);
    if (!label) return label;
  } while (cursor.Take('.'));
  if (!cursor.at_end()) return Advised(cursor.Expected("a lower case letter or digit"));
  return {};
}

}  // namespace gs
