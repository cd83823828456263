// View: objects of one kind as another version of it shows them. Every object is stored once; a
// custom resource's other versions differ in their apiVersion, and events.k8s.io calls the fields
// of a core Event by other names.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

struct View {
  KindPtr asked;
  KindPtr stored;

  [[nodiscard]] bool is_plain() const { return asked->api_version() == stored->api_version(); }
  [[nodiscard]] boost::json::object ToStored(boost::json::object object) const;
  [[nodiscard]] boost::json::object ToAsked(boost::json::object object) const;
  // As JSON text.
  [[nodiscard]] std::string Print(const StoredObject& object) const;
};

// Null kinds if there is no such resource.
[[nodiscard]] View FindView(const Kinds& kinds, std::string_view group, std::string_view version,
                            std::string_view plural);

}  // namespace gs::localcluster
