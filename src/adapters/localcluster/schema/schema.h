// Schema: the openAPIV3Schema of one version of a custom resource, compiled once. Prunes, fills in
// defaults and validates objects, with the messages of an API server, CEL rules included.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

struct SchemaNode;

// From any thread: nothing changes after Compile.
class Schema {
 public:
  // `path` names the schema in the faults: "spec.versions[0].schema.openAPIV3Schema". Null if there
  // are faults.
  [[nodiscard]] static std::shared_ptr<const Schema> Compile(const boost::json::value& source,
                                                             const std::string& path,
                                                             std::vector<StatusCause>& faults);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  Schema(Schema&&) = delete;
  Schema& operator=(Schema&&) = delete;

  // In this order for what a client sends: first what is not in the schema goes, then defaults
  // come. apiVersion, kind and metadata are left alone.
  void Prune(boost::json::value& object) const;
  void FillDefaults(boost::json::value& object) const;

  // Empty if nothing is wrong. `old` is the object before an update, null for a create. Rules are
  // not looked at while what they rely on is wrong, which is a fault of its own.
  [[nodiscard]] std::vector<StatusCause> Validate(const boost::json::value& object,
                                                  const boost::json::value* old) const;

 private:
  explicit Schema(std::unique_ptr<SchemaNode> root);

  std::unique_ptr<SchemaNode> root_;
};

}  // namespace gs::localcluster
