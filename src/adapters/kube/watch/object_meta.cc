#include "adapters/kube/watch/object_meta.h"

#include "adapters/kube/objects/decode_object.h"

namespace gs::kube {
namespace {

ObjectMeta ReadMeta(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  return {.key = {.ns = metadata.Field("namespace").Text(),
                  .name = metadata.Field("name").RequiredText()},
          .uid = metadata.Field("uid").RequiredText(),
          .resource_version = ResourceVersion(metadata.Field("resourceVersion").RequiredText())};
}

}  // namespace

Result<ObjectMeta> ReadObjectMeta(const JsonSource& json) {
  return DecodeObject<ObjectMeta>("object", json, ReadMeta);
}

}  // namespace gs::kube
