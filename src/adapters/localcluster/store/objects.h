// Objects: what creating, changing and deleting mean to an API server, on top of the Store: names
// and uids, timestamps, generations, conflicts, the status apart from the rest, grace periods and
// finalizers. HTTP requests, controllers and simulated kubelets all write through it, so that the
// same rules hold for them.
//
// From any thread, but an admission that calls webhooks makes writes wait for the network: never
// write on a thread that does the network's work.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/localcluster/store/kind.h"
#include "adapters/localcluster/store/object_names.h"
#include "adapters/localcluster/store/status.h"
#include "adapters/localcluster/store/store.h"
#include "adapters/runtime/clock.h"

namespace gs::localcluster {

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };

// Which part of an object a write may change: everything but the status, the status alone, or the
// spec.finalizers of a namespace alone.
enum class Part : std::uint8_t { kMain, kStatus, kFinalize };

// Who asks: the embedded cluster itself, unless a request says otherwise. Everybody may do
// everything; webhooks are told the name.
inline constexpr std::string_view kItself = "system:gpu-local";
struct User {
  std::string name{kItself};
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
};

// A write that is about to happen.
struct Attempt {
  const Kind& kind;
  Operation operation = Operation::kCreate;
  Part part = Part::kMain;
  std::string subresource;  // as in the request: "", "status", "scale", ...
  std::string ns;
  std::string name;
  const boost::json::object* old = nullptr;  // null for a create
  boost::json::object* object = nullptr;     // to be stored; admission may change it
  const User& user;
  bool is_dry_run = false;
};

// Fills defaults in, asks webhooks, and refuses what is not valid. Called without any lock, and
// again when somebody else's write came first.
using Admit = std::function<Verdict(Attempt&)>;

struct WriteOptions {
  User user;
  bool is_dry_run = false;
  std::string subresource;  // for webhooks, if it is not the one of the part
};

enum class Propagation : std::uint8_t { kBackground, kForeground, kOrphan };

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds;
  std::optional<std::string> uid;               // refused unless it is this one
  std::optional<std::string> resource_version;  // refused unless it is this state
  std::optional<Propagation> propagation;
  User user;
  bool is_dry_run = false;
};

struct Deleted {
  ObjectPtr object;      // its last state, or the one that waits for grace or finalizers
  bool is_gone = false;  // it is no longer there
};

class Objects {
 public:
  // All must outlive it.
  Objects(Store& store, Kinds& kinds, const runtime::Clock& clock, ObjectNames& names,
          Admit admit = {});

  [[nodiscard]] Store& store() { return store_; }
  [[nodiscard]] Kinds& kinds() { return kinds_; }
  [[nodiscard]] const runtime::Clock& clock() const { return clock_; }

  [[nodiscard]] Answer<ObjectPtr> Get(const Kind& kind, std::string_view ns,
                                      std::string_view name) const;

  // Name, or generateName, and namespace come from the metadata; an empty namespace is filled in.
  [[nodiscard]] Answer<ObjectPtr> Create(const Kind& kind, const std::string& ns,
                                         const boost::json::object& object,
                                         const WriteOptions& options = {});

  // Puts `object` in place of what is there. Its resourceVersion and uid, where it has them, must
  // be those of the present state.
  [[nodiscard]] Answer<Written> Update(const Kind& kind, const std::string& ns,
                                       const std::string& name, const boost::json::object& object,
                                       Part part = Part::kMain, const WriteOptions& options = {});

  // Changes what is there: `edit` gets the present state, and may be called again. What it refuses
  // is not written, and what it leaves alone is not written either. Setting resourceVersion to
  // something else than it is is refused as a conflict, setting the uid as invalid.
  using Edit = std::function<Verdict(boost::json::object& object)>;
  [[nodiscard]] Answer<Written> Change(const Kind& kind, const std::string& ns,
                                       const std::string& name, const Edit& edit,
                                       Part part = Part::kMain, const WriteOptions& options = {});

  [[nodiscard]] Answer<Deleted> Delete(const Kind& kind, const std::string& ns,
                                       const std::string& name, const DeleteOptions& options = {});

 private:
  [[nodiscard]] Verdict PrepareCreate(const Kind& kind, const std::string& ns,
                                      boost::json::object& object, const WriteOptions& options);
  [[nodiscard]] Verdict AdmitDelete(const Kind& kind, const boost::json::object& object,
                                    const DeleteOptions& options) const;
  [[nodiscard]] Verdict CheckNamespace(const Kind& kind, const std::string& ns,
                                       std::string_view name) const;
  [[nodiscard]] Answer<Next> NextState(const Attempt& attempt, boost::json::object& object,
                                       const StoredObject& now);
  [[nodiscard]] Answer<Written> Write(const ObjectKey& key, const Decide& decide,
                                      const WriteOptions& options);

  Store& store_;
  Kinds& kinds_;
  const runtime::Clock& clock_;
  ObjectNames& names_;
  const Admit admit_;
};

}  // namespace gs::localcluster
