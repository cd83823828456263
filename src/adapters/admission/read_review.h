// An AdmissionReview (admission.k8s.io/v1) as text to the values that core/admit looks at. Of
// questions that are not about pods nothing but their id is read: they are none of our business.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "core/admit/review.h"

namespace gs::admission {

struct Question {
  std::string uid;   // of the question; the answer repeats it
  std::string name;  // of the pod, or what its name will begin with
  Namespace ns;
  ClaimName claim;  // that the pod names; empty: none
  admit::Review review;
};

// Refuses what is no such review, naming the field.
[[nodiscard]] Result<Question> ReadReview(std::string_view json);

}  // namespace gs::admission
