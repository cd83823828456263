// RemovePod: deletes a pod that its controller is to make anew, if it is still as it was seen.
//
// A Job counts a pod that is deleted as one that failed, unless it no longer has the finalizer by
// which the Job keeps track of it. The Job's own controller takes that off where it deletes pods
// without a failure, as when a Job is suspended; so does this, first.
#pragma once

#include "adapters/kube/api/api_client.h"
#include "base/result.h"
#include "base/time.h"
#include "programs/scheduler/recreator.h"

namespace gs::scheduler {

// Each of its requests has that long. Requires: not on an I/O thread.
[[nodiscard]] Result<void> RemovePod(kube::ApiClient& client, const UnseenPod& unseen,
                                     Duration timeout);

}  // namespace gs::scheduler
