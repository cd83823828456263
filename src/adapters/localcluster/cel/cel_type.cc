#include "adapters/localcluster/cel/cel_type.h"

#include <array>
#include <utility>

namespace gs::localcluster {

using Kind = CelType::Kind;

CelTypePtr CelType::Of(Kind kind) {
  CelType type;
  type.kind = kind;
  return std::make_shared<const CelType>(std::move(type));
}

CelTypePtr CelType::ListOf(CelTypePtr element) {
  CelType type;
  type.kind = Kind::kList;
  type.element = std::move(element);
  return std::make_shared<const CelType>(std::move(type));
}

CelTypePtr CelType::MapOf(CelTypePtr element) {
  CelType type;
  type.kind = Kind::kMap;
  type.element = std::move(element);
  return std::make_shared<const CelType>(std::move(type));
}

CelTypePtr CelType::ObjectOf(std::map<std::string, CelTypePtr> fields) {
  CelType type;
  type.kind = Kind::kObject;
  type.fields = std::move(fields);
  return std::make_shared<const CelType>(std::move(type));
}

std::string ToString(const CelType& type) {
  switch (type.kind) {
    case Kind::kDyn: return "dyn";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kDouble: return "double";
    case Kind::kString: return "string";
    case Kind::kNull: return "null";
    case Kind::kList: return "list(" + ToString(*type.element) + ")";
    case Kind::kMap: return "map(string, " + ToString(*type.element) + ")";
    case Kind::kObject: return "object";
  }
  return "";
}

bool CanBe(const CelType& a, const CelType& b) {
  if (a.kind == Kind::kDyn || b.kind == Kind::kDyn) return true;
  if (a.kind == Kind::kNull || b.kind == Kind::kNull) {
    const Kind other = a.kind == Kind::kNull ? b.kind : a.kind;
    return other == Kind::kNull || other == Kind::kObject;
  }
  if (a.kind != b.kind) return false;
  const bool has_elements = a.kind == Kind::kList || a.kind == Kind::kMap;
  return !has_elements || CanBe(*a.element, *b.element);
}

}  // namespace gs::localcluster
