// Api: a request in, an answer out: the Kubernetes API of the embedded cluster without sockets.
// Watches come out as streams to be pulled; everything else is answered at once, except that writes
// wait for webhooks where there are any.
//
// From any thread.
#pragma once

#include "adapters/localcluster/api/list_request.h"
#include "adapters/localcluster/api/reply.h"
#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/api/view.h"
#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

class Api {
 public:
  // Which must outlive it, and its store every watch.
  explicit Api(Objects& objects) : objects_(objects) {}

  [[nodiscard]] ApiReply Handle(const ApiRequest& request);
  [[nodiscard]] Store& store() { return objects_.store(); }

 private:
  // One request about one resource.
  struct Call {
    const ApiRequest& request;
    ResourcePath path;
    View view;
  };

  [[nodiscard]] ApiReply HandleResource(const ApiRequest& request);
  [[nodiscard]] ApiReply HandleCollection(const Call& call);
  [[nodiscard]] ApiReply HandleObject(const Call& call);
  [[nodiscard]] ApiReply HandlePart(const Call& call);

  [[nodiscard]] ApiReply Create(const Call& call);
  [[nodiscard]] ApiReply Read(const Call& call);
  [[nodiscard]] ApiReply List(const Call& call);
  [[nodiscard]] ApiReply Watch(const Call& call);
  [[nodiscard]] ApiReply Replace(const Call& call, Part part);
  [[nodiscard]] ApiReply Patch(const Call& call, Part part);
  [[nodiscard]] ApiReply Delete(const Call& call);
  [[nodiscard]] ApiReply DeleteMany(const Call& call);
  [[nodiscard]] ApiReply Scale(const Call& call);
  [[nodiscard]] ApiReply Evict(const Call& call);
  [[nodiscard]] ApiReply Bind(const Call& call, const std::string& pod);
  // Requests that are answered and not stored.
  [[nodiscard]] ApiReply Review(const Call& call);

  [[nodiscard]] ApiReply Show(const Call& call, int status, const StoredObject& object) const;
  [[nodiscard]] ApiReply ShowPage(const Call& call, Revision revision,
                                  std::vector<ObjectPtr> objects, std::string_view continues,
                                  std::optional<std::size_t> remaining) const;

  Objects& objects_;
};

}  // namespace gs::localcluster
