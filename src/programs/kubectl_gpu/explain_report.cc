#include "programs/kubectl_gpu/explain_report.h"

#include <utility>

#include "adapters/answers/explain_json.h"
#include "adapters/answers/pod_explanation.h"
#include "base/gpu_ids.h"
#include "base/text.h"
#include "programs/kubectl_gpu/table.h"

namespace gs::kubectl_gpu {
namespace {

std::string PlaceOf(const NodeName& node, const std::optional<model::Allocation>& allocation) {
  if (!allocation) return node.text() + " without GPUs";
  const auto& ids = allocation->gpus.ids;
  return node.text() + (ids.size() == 1 ? " with GPU " : " with GPUs ") + PrintGpuIds(ids);
}

std::string PrintBound(const explain::PodReport& pod) {
  std::string text = ToString(pod.pod) + " is on " + PlaceOf(pod.node, pod.allocation);
  if (pod.allocation) {
    text += " (" + std::string(ToString(pod.allocation->mode)) +
            (pod.claim.empty() ? "" : ", claim " + pod.claim.text()) + ")";
  }
  return text + "\n";
}

// What the scheduler wrote on the pod, where it is not what is found now.
std::string PrintSaid(const model::Pod& pod, const std::string& now_said) {
  const std::string& message = pod.scheduled.message.text();
  if (message.empty() || message == now_said) return "";
  return "\nthe scheduler last said: " + Printable(message) + "\n";
}

std::string PrintWaits(const answers::PodExplanation& explained, const model::Pod& pod,
                       const Picture& picture) {
  const explain::Explanation& why = *explained.explanation;
  const std::string head =
      ToString(pod.ref) + " has waited for " + PrintAge(picture.now - pod.created);
  if (why.placement) {
    return head + "; now it would go to " +
           PlaceOf(why.placement->node, why.placement->allocation) + ": its turn is to come\n";
  }
  return head + "\n" + PrintWhy(why, picture) + PrintSaid(pod, ToString(explain::ToldReason(why)));
}

std::string PrintExplained(const answers::PodExplanation& explained, const Picture& picture) {
  const model::Pod& pod = *picture.cycle.cache().FindPod(explained.pod.pod.uid);
  switch (explained.pod.state) {
    case explain::PodState::kBound:
    case explain::PodState::kInFlight: return PrintBound(explained.pod);
    case explain::PodState::kGated:
      return ToString(pod.ref) + " is held back by its scheduling gates: " +
             text::Join(pod.rules->gates, ", ", [](const auto& gate) { return Printable(gate); }) +
             "\n";
    case explain::PodState::kWaiting: break;
  }
  return PrintWaits(explained, pod, picture);
}

}  // namespace

std::string PrintWhy(const explain::Explanation& explanation, const Picture& picture) {
  const model::Reason& reason = explanation.reason;
  std::string text = picture.paint(Colour::kYellow, ToString(reason.token)) + ": " +
                     Printable(reason.message) + "\n";
  if (!explanation.nodes.empty()) {
    Table table({"NODE", "REASON", "MESSAGE"});
    for (const auto& verdict : explanation.nodes) {
      table.Add({verdict.node.text(), std::string(ToString(verdict.reason.token)),
                 verdict.reason.message});
    }
    text += "\n" + table.Print();
  }
  if (!explanation.changes.empty()) text += "\nwould start\n";
  for (const auto& change : explanation.changes) {
    text += "  " + picture.paint(Colour::kGreen, Printable(ToString(change))) + "\n";
  }
  if (explanation.largest_node) {
    text += "\nthe largest node has " + std::to_string(*explanation.largest_node) + " GPUs\n";
  }
  return text;
}

Result<Answer> ReportExplain(const ExplainQuestion& question, const Picture& picture) {
  const PodWord word = ReadPodWord(question.pod, picture);
  auto explained = answers::ExplainPod(picture.cycle, word.ns, word.name);
  if (!explained) {
    return Error(ErrorKind::kNotFound, "scheduler " + picture.cycle.scheduler().text() +
                                           " has no pod " + word.ns.text() + "/" +
                                           word.name.text() + " that has not ended")
        .Advise("--namespace and --scheduler choose others");
  }
  // Since when the scheduler has seen it wait, only the scheduler knows.
  explained->pod.wait.reset();
  if (IsForPeople(picture.form)) return Answer{PrintExplained(*explained, picture)};
  return Answer{
      PrintObject(answers::ExplanationJson({.time = picture.now}, *explained), picture.form)};
}

}  // namespace gs::kubectl_gpu
