#include "core/model/node_gpus.h"

#include <ostream>
#include <utility>

#include "base/dns_name.h"
#include "base/gpu_ids.h"

namespace gs::model {
namespace {

constexpr std::string_view kAdvice = "write node:ids, such as node-a:0,1";

// Everything up to a character that has a meaning of its own; whether it is a name is judged
// afterwards, so that the message can speak of the name.
bool CanBeInName(char next) {
  return std::string_view(" \t\r\n=:,#").find(next) == std::string_view::npos;
}

Result<NodeName> TakeNodeName(TextCursor& cursor) {
  const TextPlace begin = cursor.place();
  const TextCursor before = cursor;
  const std::string_view name = cursor.TakeWhile(CanBeInName);
  if (name.empty()) return before.Expected("a node name").Advise(std::string(kAdvice));
  auto checked = CheckDnsSubdomain(name);
  if (checked) return NodeName(std::string(name));
  const int column = checked.error().place().value_or(TextPlace{}).column;
  return Error(ErrorKind::kInvalid, "bad node name: " + checked.error().message())
      .At({begin.line, begin.column + column - 1})
      .Advise("node names are lower case letters, digits, '-' and '.'");
}

}  // namespace

Result<NodeGpus> TakeNodeGpus(TextCursor& cursor) {
  cursor.SkipBlanks();
  auto node = TakeNodeName(cursor);
  if (!node) return std::move(node).error();
  cursor.SkipBlanks();
  if (!cursor.Take(':')) {
    return cursor.Expected("':' after the node name").Advise(std::string(kAdvice));
  }
  auto ids = TakeGpuIds(cursor, IdRanges::kRefused);
  if (!ids) return std::move(ids).error();
  return NodeGpus{std::move(node).value(), std::move(ids).value()};
}

Result<NodeGpus> ParseNodeGpus(std::string_view text) {
  TextCursor cursor(text);
  auto gpus = TakeNodeGpus(cursor);
  if (gpus && !cursor.at_end()) {
    return cursor.Expected("',' or the end of the ids").Advise(std::string(kAdvice));
  }
  return gpus;
}

std::string ToString(const NodeGpus& gpus) {
  if (gpus.ids.empty()) return gpus.node.text();
  return gpus.node.text() + ":" + PrintGpuIds(gpus.ids);
}

std::ostream& operator<<(std::ostream& out, const NodeGpus& gpus) { return out << ToString(gpus); }

}  // namespace gs::model
