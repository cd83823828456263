// AdmissionReview: the question a webhook gets and the answer it gives, as JSON.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

// The `request` of the review, which conditions see as well.
[[nodiscard]] boost::json::object ReviewRequest(const Attempt& attempt, const std::string& uid);
// The whole review.
[[nodiscard]] std::string PrintReview(boost::json::object request);

// Changes the object as the answer says, or refuses. An answer that makes no sense is an error, as
// if there had been none.
[[nodiscard]] Result<Verdict> ApplyAnswer(const std::string& webhook, const std::string& uid,
                                          std::string_view answer, boost::json::object* object);

}  // namespace gs::localcluster
