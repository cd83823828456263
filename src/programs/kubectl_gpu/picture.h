// Picture: what a report is drawn from, and how. Borrowed for the length of a call.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/model/pod.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/paint.h"

namespace gs::kubectl_gpu {

struct Picture {
  const cycle::Cycle& cycle;
  TimePoint now;
  Namespace ns;  // of what is named without one
  bool has_all_namespaces = false;
  AnswerForm form = AnswerForm::kTable;
  Paint paint;

  [[nodiscard]] bool is_wide() const { return form == AnswerForm::kWide; }
};

// "team/trainer", or "trainer" in the namespace of the picture.
struct PodWord {
  Namespace ns;
  PodName name;
};
[[nodiscard]] PodWord ReadPodWord(const std::string& word, const Picture& picture);

// Of a length of time, the two largest units: "2d4h", "12m", "8s".
[[nodiscard]] std::string PrintAge(Duration age);

// As JSON or YAML. Requires: a form for programs.
[[nodiscard]] std::string PrintObject(const boost::json::object& object, AnswerForm form);

}  // namespace gs::kubectl_gpu
