#include "tests/scenarios/choose_scenario.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/object_reader.h"
#include "adapters/yaml/parse.h"
#include "base/gpu_ids.h"

namespace gs::scenarios {
namespace {

using json::ObjectReader;

std::vector<GpuId> ReadIds(ObjectReader& reader, std::string_view field) {
  const std::string text = reader.Text(field);
  if (text.empty() || text == "none") return {};
  auto ids = ParseGpuIds(text);
  if (!ids) {
    reader.Fail(field, ToString(ids.error()));
    return {};
  }
  return *std::move(ids);
}

Result<devices::Request> ReadRequest(const boost::json::value& value, std::string path) {
  ObjectReader reader(value, std::move(path));
  devices::Request request;
  request.count = static_cast<std::int32_t>(reader.RequiredInt("count", kInt32Range));
  request.policy =
      reader.Word("policy", model::ParseDevicePolicy, model::DevicePolicyNames(), request.policy);
  request.mode =
      reader.Word("topology", model::ParseTopologyMode, model::TopologyModeNames(), request.mode);
  request.exclusivity = reader.Word("exclusivity", model::ParseExclusivity,
                                    model::ExclusivityNames(), request.exclusivity);
  request.min_bandwidth_gbps =
      static_cast<std::int32_t>(reader.Int("minBandwidthGBps", kInt32Range, 0));
  request.prefer_ids = ReadIds(reader, "preferIds");
  request.must_include = ReadIds(reader, "mustInclude");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return request;
}

Result<ChooseExpectation> ReadExpectation(const boost::json::value& value, std::string path) {
  ObjectReader reader(value, std::move(path));
  ChooseExpectation expected;
  if (reader.Raw("gpus") != nullptr) expected.gpus = reader.Text("gpus");
  if (reader.Raw("refused") != nullptr) expected.refused = reader.Text("refused");
  for (const char* figure : {"islands", "setScore", "partitionScore", "runs", "minBandwidthGBps"}) {
    if (reader.Raw(figure) != nullptr) expected.figures[figure] = reader.Int(figure, {}, 0);
  }
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return expected;
}

std::map<GpuId, std::int32_t> ReadShared(ObjectReader& reader) {
  std::map<GpuId, std::int32_t> shared;
  const boost::json::value* value = reader.Raw("shared");
  if (value == nullptr) return shared;
  if (!value->is_object()) {
    reader.Fail("shared", "expected GPU ids and how many pods share them");
    return shared;
  }
  for (const auto& [id, pods] : value->get_object()) {
    const auto number = ParseInt32(id);
    if (!number || !pods.is_int64()) {
      reader.Fail("shared", "expected GPU ids and how many pods share them");
      return shared;
    }
    shared[GpuId(*number)] = static_cast<std::int32_t>(pods.get_int64());
  }
  return shared;
}

Result<ChooseCase> ReadCase(const boost::json::value& value, const std::string& path) {
  ObjectReader reader(value, path);
  ChooseCase scenario;
  scenario.name = reader.RequiredText("name");
  scenario.free = ReadIds(reader, "free");
  scenario.shared = ReadShared(reader);
  const boost::json::value* ask = reader.Raw("ask");
  const boost::json::value* expect = reader.Raw("expect");
  if (ask == nullptr) reader.Fail("ask", "is missing");
  if (expect == nullptr) reader.Fail("expect", "is missing");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  auto request = ReadRequest(*ask, path + ".ask");
  if (!request) return std::move(request).error();
  scenario.request = *std::move(request);
  auto expected = ReadExpectation(*expect, path + ".expect");
  if (!expected) return std::move(expected).error();
  scenario.expected = *std::move(expected);
  return scenario;
}

std::string TextOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Result<std::vector<ChooseCase>> ReadCases(const boost::json::value& value,
                                          const std::filesystem::path& root) {
  ObjectReader reader(value, "");
  const std::string machine_path = reader.RequiredText("machine");
  const boost::json::array& list = reader.Array("cases");
  if (list.empty()) reader.Fail("cases", "a scenario without cases tests nothing");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  auto machine = gpu::LoadMachineFile(root / machine_path);
  if (!machine) return std::move(machine).error();
  std::vector<ChooseCase> cases;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto scenario = ReadCase(list[i], "cases[" + std::to_string(i) + "]");
    if (!scenario) return std::move(scenario).error();
    scenario->machine = *machine;
    cases.push_back(*std::move(scenario));
  }
  return cases;
}

}  // namespace

Result<std::vector<ChooseCase>> LoadChooseScenario(const std::filesystem::path& file,
                                                   const std::filesystem::path& root) {
  const auto value = yaml::ParseYaml(TextOf(file));
  if (!value) return Error(value.error()).Within(file.string());
  auto cases = ReadCases(*value, root).Within(file.string());
  if (!cases) return cases;
  for (ChooseCase& scenario : *cases) scenario.file = file.stem().string();
  return cases;
}

}  // namespace gs::scenarios
