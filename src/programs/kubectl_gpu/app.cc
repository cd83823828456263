#include "programs/kubectl_gpu/app.h"

#include <ostream>
#include <variant>

#include "programs/kubectl_gpu/ask_cluster.h"
#include "programs/kubectl_gpu/choose_command.h"
#include "programs/kubectl_gpu/options.h"

namespace gs::kubectl_gpu {
namespace {

int Fail(std::ostream& err, const Error& error, int code) {
  err << "kubectl-gpu: " << error << "\n";
  return code;
}

int Show(const Answer& answer, std::ostream& out, std::ostream& err) {
  for (const std::string& warning : answer.warnings) {
    err << "kubectl-gpu: warning: " << Printable(warning) << "\n";
  }
  out << answer.text;
  return answer.code;
}

int RunChoose(const ChooseOptions& options, std::ostream& out, std::ostream& err) {
  const auto answer = AnswerChoose(options);
  if (!answer) return Fail(err, answer.error(), kExitBadInput);
  out << answer->text;
  return answer->is_found ? kExitDone : kExitNo;
}

}  // namespace

int Run(const std::vector<std::string>& args, std::string_view version, std::ostream& out,
        std::ostream& err, const Paint& paint) {
  const auto command = ParseCommandLine(args, version);
  if (!command) return Fail(err, command.error(), kExitBadInput);
  int code = kExitDone;
  if (const auto* shown = std::get_if<ShowText>(&*command)) {
    out << shown->text;
  } else if (const auto* choose = std::get_if<ChooseOptions>(&*command)) {
    code = RunChoose(*choose, out, err);
  } else {
    const auto answer = AskCluster(std::get<ClusterQuestion>(*command), version, paint);
    if (!answer) return Fail(err, answer.error(), kExitFailed);
    code = Show(*answer, out, err);
  }
  out.flush();
  if (out) return code;
  err << "kubectl-gpu: the answer could not be written\n";
  return kExitFailed;
}

}  // namespace gs::kubectl_gpu
