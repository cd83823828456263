// `kubectl-gpu get` and `apply`: the little of kubectl that is needed where there is none. What get
// shows are the server's own tables.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "adapters/kube/api/connection.h"
#include "base/ids.h"
#include "base/result.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"

namespace gs::kubectl_gpu {

// Where objects are looked for and put that name no namespace; empty: everywhere.
[[nodiscard]] Result<Answer> GetObjects(kube::Connection& connection, const GetQuestion& question,
                                        const Namespace& ns, AnswerForm form);

// Creates what is not there and merges the rest into what is: a field that the file no longer has
// stays. The first refusal ends it.
[[nodiscard]] Result<Answer> ApplyObjects(kube::Connection& connection,
                                          const ApplyQuestion& question, const Namespace& ns);

// A Table of the API as lines. Columns of lower priority only with kWide.
[[nodiscard]] std::string PrintServerTable(const boost::json::value& table, AnswerForm form,
                                           bool has_namespaces);

}  // namespace gs::kubectl_gpu
