// The text of a CEL expression as a tree. Only syntax: what names mean and which types fit is
// checked afterwards. What the evaluator does not offer (maps, messages, bytes, unsigned numbers,
// optional fields) is refused here.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::localcluster {

struct CelNode {
  enum class Kind : std::uint8_t {
    kLiteral,
    kVariable,  // text
    kMember,    // children[0].text
    kHas,       // has(children[0].text)
    kIndex,     // children[0][children[1]]
    kCall,      // text(children...), as a function or a method: x.size() is size(x)
    kList,      // [children...]
    kOr,        // any number of children
    kAnd,
    kNot,
    kNegate,
    kBinary,  // children[0] text children[1]
    kChoose,  // children[0] ? children[1] : children[2]
    kMacro,   // children[0].text(variable, children[1])
  };

  Kind kind = Kind::kLiteral;
  std::size_t offset = 0;  // in the expression, for messages
  int depth = 1;
  std::string text;
  std::string variable;
  bool is_method = false;
  boost::json::value literal;
  std::vector<CelNode> children;
};

[[nodiscard]] Result<CelNode> ParseCel(std::string_view expression);

// "ERROR: <input>:1:6: message", the expression, and a mark below the place.
[[nodiscard]] Error CelError(ErrorKind kind, std::string_view expression, std::size_t offset,
                             std::string_view message);

}  // namespace gs::localcluster
