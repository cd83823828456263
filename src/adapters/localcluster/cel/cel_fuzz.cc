// Any bytes as a CEL expression: refused with a sentence, or compiled; and what is compiled runs to
// an answer or an error on a value it was not written for.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/json/parse.h"
#include "adapters/localcluster/cel/cel_program.h"
#include "base/check.h"

using gs::localcluster::CelBinding;
using gs::localcluster::CelProgram;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view expression(reinterpret_cast<const char*>(data), size);
  const auto program = CelProgram::Compile(expression, {{.name = "self"}, {.name = "oldSelf"}});
  if (!program) {
    GS_CHECK(!program.error().message().empty());
    return 0;
  }
  static const boost::json::value kSelf =
      gs::json::ParseJson(R"({"a":1,"b":"text","l":[1,2,{"x":null}],"m":{"k":0.5},"t":true})")
          .value();
  const std::vector<CelBinding> bindings{{"self", &kSelf}, {"oldSelf", nullptr}};
  const auto outcome = program->IsTrue(bindings);
  GS_CHECK(outcome.ok() || !outcome.error().message().empty());
  GS_CHECK(program->IsTrue(bindings) == outcome);
  return 0;
}
