#include "programs/kubectl_gpu/app.h"

#include <ostream>
#include <variant>

#include "programs/kubectl_gpu/choose_command.h"
#include "programs/kubectl_gpu/options.h"

namespace gs::kubectl_gpu {
namespace {

int Fail(std::ostream& err, const Error& error) {
  err << "kubectl-gpu: " << error << "\n";
  return kExitBadInput;
}

int RunCommand(const Command& command, std::ostream& out, std::ostream& err) {
  if (const auto* shown = std::get_if<ShowText>(&command)) {
    out << shown->text;
    return kExitDone;
  }
  const auto answer = AnswerChoose(std::get<ChooseOptions>(command));
  if (!answer) return Fail(err, answer.error());
  out << answer->text;
  return answer->is_found ? kExitDone : kExitNoSet;
}

}  // namespace

int Run(const std::vector<std::string>& args, std::string_view version, std::ostream& out,
        std::ostream& err) {
  const auto command = ParseCommandLine(args, version);
  if (!command) return Fail(err, command.error());
  const int code = RunCommand(*command, out, err);
  out.flush();
  if (out) return code;
  err << "kubectl-gpu: the answer could not be written\n";
  return kExitFailed;
}

}  // namespace gs::kubectl_gpu
