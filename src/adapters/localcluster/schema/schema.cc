#include "adapters/localcluster/schema/schema.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "adapters/localcluster/schema/field_fault.h"
#include "adapters/localcluster/schema/schema_node.h"

namespace gs::localcluster {
namespace {

// Faults after which rules could meet values that they were not written for.
bool BlocksRules(const StatusCause& fault) {
  return fault.reason == "FieldValueNotSupported" || fault.reason == "FieldValueRequired" ||
         fault.reason == "FieldValueTooLong" || fault.reason == "FieldValueTooMany" ||
         fault.reason == "FieldValueTypeInvalid";
}

}  // namespace

Schema::Schema(std::unique_ptr<SchemaNode> root) : root_(std::move(root)) {}
Schema::~Schema() = default;

std::shared_ptr<const Schema> Schema::Compile(const boost::json::value& source,
                                              const std::string& path,
                                              std::vector<StatusCause>& faults) {
  auto root = CompileSchema(source, path, faults);
  if (root != nullptr && root->type != "object") {
    faults.push_back(
        InvalidField(path + ".type", boost::json::value(root->type), "must be object at the root"));
  }
  if (root == nullptr || !faults.empty()) return nullptr;
  root->is_embedded_resource = true;
  return std::shared_ptr<const Schema>(new Schema(std::move(root)));  // NOLINT: not public
}

void Schema::Prune(boost::json::value& object) const { PruneBySchema(object, *root_); }

void Schema::FillDefaults(boost::json::value& object) const { FillBySchema(object, *root_); }

std::vector<StatusCause> Schema::Validate(const boost::json::value& object,
                                          const boost::json::value* old) const {
  std::vector<StatusCause> faults;
  ValidateBySchema(object, *root_, "", faults);
  CheckLists(object, *root_, "", faults);
  if (std::any_of(faults.begin(), faults.end(), BlocksRules)) {
    faults.push_back(InvalidField("", boost::json::value(),
                                  "some validation rules were not checked because the object was "
                                  "invalid; correct the existing errors to complete validation"));
    return faults;
  }
  CheckRules(object, old, *root_, "", faults);
  return faults;
}

}  // namespace gs::localcluster
