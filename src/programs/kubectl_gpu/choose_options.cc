#include "programs/kubectl_gpu/choose_options.h"

#include <array>
#include <string_view>
#include <utility>

#include "adapters/json/object_reader.h"
#include "base/gpu_ids.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/text_cursor.h"
#include "core/model/claim.h"

namespace gs::kubectl_gpu {
namespace {

constexpr IntegerRange kCounts{.min = 1, .max = kMaxGpuId + 1};
constexpr IntegerRange kBandwidths{.min = 1, .max = 1'000'000};
constexpr IntegerRange kPods{.min = 1, .max = 1'000'000};

constexpr std::array kFormats{std::pair{OutputFormat::kText, std::string_view("text")},
                              std::pair{OutputFormat::kJson, std::string_view("json")}};

using Word = std::optional<std::string>;
using Shared = std::map<GpuId, std::int32_t>;

// Reads option after option and keeps the first refusal, so that the code below reads as a list.
class Reader {
 public:
  void Int(const char* option, const Word& word, IntegerRange range, std::int32_t& target) {
    if (word) Take(option, ParseInt32(*word, range), target);
  }

  void Ids(const char* option, const Word& word, std::vector<GpuId>& target) {
    if (word) Take(option, ParseGpuIds(*word), target);
  }

  // `names` lists what `parse` knows.
  template <class Parse, class Value>
  void Choice(const char* option, const Word& word, Parse parse, const std::string& names,
              Value& target) {
    if (!word) return;
    const std::optional<Value> value = parse(*word);
    if (value) target = *value;
    if (!value) Fail(option, "expected one of " + names + ", got " + json::Quoted(*word));
  }

  template <class Value>
  void Take(const char* option, Result<Value> result, Value& target) {
    if (result) {
      target = *std::move(result);
    } else if (!first_error_) {
      first_error_ = std::move(result).error().Within(option);
    }
  }

  void Refuse(bool is_wrong, const char* option, const char* message) {
    if (is_wrong) Fail(option, message);
  }

  [[nodiscard]] const std::optional<Error>& first_error() const { return first_error_; }

 private:
  void Fail(const char* option, std::string message) {
    if (!first_error_) first_error_ = Error(ErrorKind::kInvalid, std::move(message)).Within(option);
  }

  std::optional<Error> first_error_;
};

// One "ID=PODS" at the cursor.
Result<void> TakeSharers(TextCursor& cursor, Shared& shared) {
  const TextPlace place = cursor.place();
  const auto id = TakeInteger(cursor, "a GPU id", {.min = 0, .max = kMaxGpuId});
  if (!id) return id.error();
  if (!cursor.Take('=')) return cursor.Expected("'=' and a number of pods");
  const auto pods = TakeInteger(cursor, "a number of pods", kPods);
  if (!pods) return pods.error();
  const GpuId gpu(static_cast<std::int32_t>(*id));
  if (shared.emplace(gpu, static_cast<std::int32_t>(*pods)).second) return {};
  return Error(ErrorKind::kInvalid, "GPU " + std::to_string(*id) + " is given twice").At(place);
}

Result<Shared> ParseShared(std::string_view text) {
  Shared shared;
  TextCursor cursor(text);
  do {
    if (auto taken = TakeSharers(cursor, shared); !taken) return std::move(taken).error();
  } while (cursor.Take(','));
  if (!cursor.at_end()) return cursor.Expected("',' or the end");
  return shared;
}

std::optional<OutputFormat> ParseFormat(std::string_view word) {
  return text::ValueOf(kFormats, word);
}

void ReadRequest(Reader& reader, const ChooseArguments& args, devices::Request& request) {
  reader.Int("--count", args.count, kCounts, request.count);
  reader.Choice("--policy", args.policy, model::ParseDevicePolicy, model::DevicePolicyNames(),
                request.policy);
  reader.Ids("--prefer-ids", args.prefer_ids, request.prefer_ids);
  reader.Choice("--topology", args.topology, model::ParseTopologyMode, model::TopologyModeNames(),
                request.mode);
  reader.Int("--min-bandwidth", args.min_bandwidth, kBandwidths, request.min_bandwidth_gbps);
  reader.Choice("--exclusivity", args.exclusivity, model::ParseExclusivity,
                model::ExclusivityNames(), request.exclusivity);
  reader.Int("--share-cap", args.share_cap, kPods, request.share_cap);
  reader.Ids("--must-include", args.must_include, request.must_include);
}

void ReadSituation(Reader& reader, const ChooseArguments& args, ChooseOptions& options) {
  if (args.free == "none") {
    options.free.emplace();
  } else if (args.free) {
    reader.Ids("--free", args.free, options.free.emplace());
  }
  if (args.shared) reader.Take("--shared", ParseShared(*args.shared), options.shared);
}

// The same rules as for a GpuClaim, and those of a command line.
void CheckTogether(Reader& reader, const ChooseArguments& args, const ChooseOptions& options) {
  const devices::Request& request = options.request;
  const bool prefers_ids = request.policy == model::DevicePolicy::kPreferIds;
  reader.Refuse(args.prefer_ids && !prefers_ids, "--prefer-ids", "needs --policy preferIds");
  reader.Refuse(prefers_ids && !args.prefer_ids, "--policy", "preferIds needs --prefer-ids");
  reader.Refuse(args.min_bandwidth && request.mode == model::TopologyMode::kIgnore,
                "--min-bandwidth", "needs --topology Required or Preferred");
  reader.Refuse(args.share_cap && request.exclusivity != model::Exclusivity::kShared, "--share-cap",
                "needs --exclusivity Shared");
  for (const GpuId id : options.free.value_or(std::vector<GpuId>())) {
    reader.Refuse(options.shared.contains(id), "--shared",
                  "names a GPU that --free names too; a shared GPU is not free");
  }
}

}  // namespace

Result<ChooseOptions> ReadChooseOptions(const ChooseArguments& args) {
  Reader reader;
  ChooseOptions options;
  options.machine_file = args.machine;
  ReadRequest(reader, args, options.request);
  ReadSituation(reader, args, options);
  reader.Choice("--output", args.output, ParseFormat, text::NamesOf(kFormats), options.output);
  CheckTogether(reader, args, options);
  if (reader.first_error()) return *reader.first_error();
  return options;
}

}  // namespace gs::kubectl_gpu
