#include "programs/kubectl_gpu/cluster_question.h"

#include <array>
#include <string_view>
#include <utility>

#include "adapters/answers/place_request.h"
#include "adapters/json/object_reader.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "base/gpu_ids.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/time.h"

namespace gs::kubectl_gpu {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{4} << 20;
constexpr IntegerRange kShareCaps{.min = 1, .max = 1'000'000};

constexpr std::array kForms{std::pair{AnswerForm::kTable, std::string_view("table")},
                            std::pair{AnswerForm::kWide, std::string_view("wide")},
                            std::pair{AnswerForm::kJson, std::string_view("json")},
                            std::pair{AnswerForm::kYaml, std::string_view("yaml")}};

Result<std::string> ReadNamedFile(const std::string& file) {
  auto text = runtime::ReadFile(file == "-" ? "/dev/stdin" : file, kMostFileBytes);
  if (!text) return std::move(text).error().Within("--filename");
  return text;
}

Result<Question> ReadWho(const std::string& subject) {
  const std::size_t colon = subject.find(':');
  if (colon == std::string::npos) return Question(WhoQuestion{.name = subject, .ids = {}});
  auto ids = ParseGpuIds(subject.substr(colon + 1));
  if (!ids) return std::move(ids).error().Within(subject);
  return Question(WhoQuestion{.name = subject.substr(0, colon), .ids = *std::move(ids)});
}

Result<Question> ReadMap(const std::string& file, const std::string& text) {
  auto map = model::ParseSchedulingMap(text);
  if (!map) return std::move(map).error().Within(file);
  return Question(MapQuestion{*std::move(map)});
}

// What it says is read again once it is known when it is asked.
Result<Question> ReadPlace(const std::string& file, std::string text) {
  if (auto request = answers::ReadPlaceRequest(text, TimePoint()); !request) {
    return std::move(request).error().Within(file);
  }
  return Question(PlaceQuestion{std::move(text)});
}

Result<Question> ReadManifests(const std::string& file, const std::string& text) {
  auto objects = yaml::ParseYamlDocuments(text);
  if (!objects) return std::move(objects).error().Within(file);
  return Question(ApplyQuestion{*std::move(objects)});
}

Result<Question> ReadQuestion(const std::string& command, const ClusterArguments& args) {
  if (command == "status") return Question(StatusQuestion());
  if (command == "who") return ReadWho(args.subject);
  if (command == "explain") return Question(ExplainQuestion{args.subject});
  if (command == "pods") return Question(PodsQuestion());
  if (command == "claims") return Question(ClaimsQuestion());
  if (command == "topology") return Question(TopologyQuestion{NodeName(args.subject)});
  if (command == "leases") return Question(LeasesQuestion{args.is_only_stale});
  if (command == "get") return Question(GetQuestion{args.subject, args.name, args.selector});
  if (command == "version") return Question(VersionQuestion());
  auto text = ReadNamedFile(args.file);
  if (!text) return std::move(text).error();
  if (command == "map") return ReadMap(args.file, *text);
  return command == "apply" ? ReadManifests(args.file, *text)
                            : ReadPlace(args.file, *std::move(text));
}

}  // namespace

Result<ClusterQuestion> ReadClusterQuestion(const std::string& command,
                                            const ClusterArguments& args) {
  const auto form = text::ValueOf(kForms, args.output);
  if (!form) {
    return Error(ErrorKind::kInvalid,
                 "expected one of " + text::NamesOf(kForms) + ", got " + json::Quoted(args.output))
        .Within("--output");
  }
  const auto share_cap = ParseInt32(args.share_cap, kShareCaps);
  if (!share_cap) return Error(share_cap.error()).Within("--share-cap");
  auto what = ReadQuestion(command, args);
  if (!what) return std::move(what).error();
  return ClusterQuestion{
      .cluster = {.wish = {.kubeconfig = args.kubeconfig, .context = args.context},
                  .ns = Namespace(args.ns),
                  .has_all_namespaces = args.has_all_namespaces,
                  .scheduler = SchedulerName(args.scheduler),
                  .share_cap = *share_cap},
      .form = *form,
      .what = *std::move(what)};
}

}  // namespace gs::kubectl_gpu
