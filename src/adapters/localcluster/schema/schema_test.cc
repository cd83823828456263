// The chart's own CRDs, and small schemas for what those do not use.
#include "adapters/localcluster/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/schema/field_fault.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const Schema> Compiled(const boost::json::value& source) {
  std::vector<StatusCause> faults;
  auto schema = Schema::Compile(source, "schema", faults);
  for (const auto& fault : faults) ADD_FAILURE() << ToString(fault);
  return schema;
}

std::shared_ptr<const Schema> FromText(const std::string& source) {
  return Compiled(boost::json::parse(source));
}

// The schema of a kind of the chart.
std::shared_ptr<const Schema> OfChart(const std::string& kind) {
  const auto documents =
      yaml::ParseYamlDocuments(runtime::ReadFile(GS_CRDS, 1 << 20).value()).value();
  for (const auto& document : documents) {
    const std::string_view found = document.at_pointer("/spec/names/kind").as_string();
    if (found != kind) continue;
    return Compiled(document.at_pointer("/spec/versions/0/schema/openAPIV3Schema"));
  }
  return nullptr;
}

// What becomes of an object that a client sends.
struct Outcome {
  std::string object;
  std::vector<std::string> faults;
};

Outcome Sent(const Schema& schema, const std::string& text, const std::string& old_text = "") {
  auto object = boost::json::parse(text);
  schema.Prune(object);
  schema.FillDefaults(object);
  const auto old = old_text.empty() ? boost::json::value() : boost::json::parse(old_text);
  Outcome outcome{.object = boost::json::serialize(object), .faults = {}};
  for (const auto& fault : schema.Validate(object, old_text.empty() ? nullptr : &old)) {
    outcome.faults.push_back(ToString(fault));
  }
  return outcome;
}

constexpr const char* kUnchecked =
    "<nil>: Invalid value: null: some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation";

TEST(Schema, FillsInTheDefaultsOfAClaim) {
  const auto claim = OfChart("GpuClaim");
  const auto sent = Sent(*claim, R"({"kind":"GpuClaim","spec":{}})");
  EXPECT_EQ(sent.object, R"({"kind":"GpuClaim","spec":{"devices":{"count":1,"policy":"contiguous",)"
                         R"("exclusivity":"Exclusive"}}})");
  EXPECT_THAT(sent.faults, IsEmpty());
}

TEST(Schema, TakesAwayWhatNobodyNames) {
  const auto claim = OfChart("GpuClaim");
  const auto sent = Sent(*claim, R"({"metadata":{"name":"c","anything":1},"typo":1,
      "spec":{"devices":{"count":2,"policy":"spread","exclusivity":"Shared","cuont":3},
              "selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_EQ(sent.object, R"({"metadata":{"name":"c","anything":1},"spec":{"devices":{"count":2,)"
                         R"("policy":"spread","exclusivity":"Shared"},)"
                         R"("selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_THAT(sent.faults, IsEmpty());
}

TEST(Schema, RefusesInTheWordsOfTheServer) {
  const auto claim = OfChart("GpuClaim");
  EXPECT_THAT(Sent(*claim, R"({"spec":{"devices":{"count":0}}})").faults,
              ElementsAre("spec.devices.count: Invalid value: 0: spec.devices.count in body should "
                          "be greater than or equal to 1"));
  EXPECT_THAT(
      Sent(*claim, R"({"spec":{"devices":{"count":"2"}}})").faults,
      ElementsAre("spec.devices.count: Invalid value: \"string\": spec.devices.count in body "
                  "must be of type integer: \"string\"",
                  kUnchecked));
  EXPECT_THAT(Sent(*claim, R"({"spec":{"devices":{"policy":"near"}}})").faults,
              ElementsAre("spec.devices.policy: Unsupported value: \"near\": supported values: "
                          "\"contiguous\", \"spread\", \"preferIds\"",
                          kUnchecked));
  EXPECT_THAT(Sent(*claim, R"({"kind":"GpuClaim"})").faults,
              ElementsAre("spec: Required value", kUnchecked));
  EXPECT_THAT(
      Sent(*claim, R"({"spec":{"devices":{"policy":"preferIds","preferIds":[-1,70000]}}})").faults,
      ElementsAre("spec.devices.preferIds[0]: Invalid value: -1: spec.devices.preferIds[0] in "
                  "body should be greater than or equal to 0",
                  "spec.devices.preferIds[1]: Invalid value: 70000: "
                  "spec.devices.preferIds[1] in body should be less than or equal to 65535"));
  EXPECT_THAT(Sent(*claim, R"({"spec":{"selector":{"matchLabels":{"a":"-"}}}})").faults,
              ElementsAre("spec.selector.matchLabels.a: Invalid value: \"-\": "
                          "spec.selector.matchLabels.a in body should match "
                          "'^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'"));
  EXPECT_THAT(Sent(*claim, R"({"spec":{"selector":{"matchLabels":{"a":")" + std::string(64, 'x') +
                               R"("}}}})")
                  .faults,
              ElementsAre("spec.selector.matchLabels.a: Too long: may not be more than 63 bytes",
                          kUnchecked));
}

TEST(Schema, ChecksTheRulesOfAClaim) {
  const auto claim = OfChart("GpuClaim");
  EXPECT_THAT(Sent(*claim, R"({"spec":{"devices":{"preferIds":[1]}}})").faults,
              ElementsAre("spec.devices: Invalid value: preferIds is only read with policy "
                          "preferIds; set policy: preferIds, or remove the ids"));
  EXPECT_THAT(
      Sent(*claim, R"({"spec":{"devices":{"policy":"preferIds","preferIds":[1,2,1]}}})").faults,
      ElementsAre(
          "spec.devices.preferIds: Invalid value: an id is given twice; name each GPU once"));
  EXPECT_THAT(
      Sent(*claim, R"({"spec":{"topology":{"mode":"Ignore","minBandwidthGBps":5}}})").faults,
      ElementsAre(HasSubstr("minBandwidthGBps has no meaning with mode Ignore")));
}

TEST(Schema, ElementsOfListMapsAreUnique) {
  const auto status = OfChart("GpuNodeStatus");
  EXPECT_THAT(
      Sent(*status,
           R"({"status":{"devices":[{"id":0,"links":[{"peer":1},{"peer":2},{"peer":1}]}]}})")
          .faults,
      ElementsAre("status.devices[0].links[2]: Duplicate value: {\"peer\":1}"));
  EXPECT_THAT(
      Sent(*status, R"({"status":{"devices":[{"id":0},{"id":1},{"id":0}]}})").faults,
      ElementsAre("status.devices: Invalid value: two devices have the same id; an id tells "
                  "one GPU of the node"));
  EXPECT_THAT(Sent(*status, R"({"status":{"devices":[{"id":0,"links":[{"peer":0}]}]}})").faults,
              ElementsAre("status.devices[0]: Invalid value: a GPU has no link to itself"));
  EXPECT_THAT(
      Sent(*status, R"({"status":{"observedAt":"yesterday"}})").faults,
      ElementsAre("status.observedAt: Invalid value: \"yesterday\": status.observedAt in body "
                  "must be of type date-time: \"yesterday\""));
}

TEST(Schema, NullsThatMayNotBeGiveWayToDefaultsOrGo) {
  const auto schema = FromText(R"({"type":"object","properties":{
      "a":{"type":"integer","default":7},"b":{"type":"integer"},
      "c":{"type":"integer","nullable":true,"default":7}}})");
  EXPECT_EQ(Sent(*schema, R"({"a":null,"b":null,"c":null})").object, R"({"a":7,"c":null})");
}

TEST(Schema, KeepsWhatItIsToldToKeep) {
  const auto schema = FromText(R"({"type":"object","properties":{
      "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
              "properties":{"closed":{"type":"object","properties":{"a":{"type":"integer"}}}}},
      "port":{"x-kubernetes-int-or-string":true}}})");
  EXPECT_EQ(Sent(*schema, R"({"open":{"x":{"y":1},"closed":{"a":1,"b":2}},"port":"web"})").object,
            R"({"open":{"x":{"y":1},"closed":{"a":1}},"port":"web"})");
  EXPECT_THAT(Sent(*schema, R"({"port":true})").faults,
              ElementsAre("port: Invalid value: \"boolean\": port in body must be of type "
                          "integer,string: \"boolean\"",
                          kUnchecked));
}

TEST(Schema, RulesCompareWithWhatWasThere) {
  const auto schema = FromText(R"({"type":"object","properties":{"size":{"type":"string",
      "x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"must not shrink"},
      {"rule":"self < 'x'","messageExpression":"'too big: ' + self"}]}}})");
  EXPECT_THAT(Sent(*schema, R"({"size":"a"})").faults, IsEmpty());
  EXPECT_THAT(Sent(*schema, R"({"size":"b"})", R"({"size":"a"})").faults, IsEmpty());
  EXPECT_THAT(Sent(*schema, R"({"size":"a"})", "{}").faults, IsEmpty());
  EXPECT_THAT(Sent(*schema, R"({"size":"a"})", R"({"size":"b"})").faults,
              ElementsAre("size: Invalid value: \"a\": must not shrink"));
  EXPECT_THAT(Sent(*schema, R"({"size":"y"})").faults,
              ElementsAre("size: Invalid value: \"y\": too big: y"));
}

TEST(Schema, LooksAtAlternatives) {
  const auto schema = FromText(R"({"type":"object","properties":{"a":{"type":"integer"},
      "b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]})");
  EXPECT_THAT(Sent(*schema, R"({"a":1})").faults, IsEmpty());
  EXPECT_THAT(
      Sent(*schema, "{}").faults,
      ElementsAre(HasSubstr("must validate one and only one schema (oneOf). Found none valid")));
  EXPECT_THAT(Sent(*schema, R"({"a":1,"b":1})").faults, ElementsAre(HasSubstr("(oneOf)")));
}

TEST(PrintNumber, IsThatOfGo) {
  EXPECT_EQ(PrintNumber(1), "1");
  EXPECT_EQ(PrintNumber(65535), "65535");
  EXPECT_EQ(PrintNumber(0.5), "0.5");
  EXPECT_EQ(PrintNumber(1000000), "1e+06");
  EXPECT_EQ(PrintNumber(100000), "100000");
  EXPECT_EQ(PrintNumber(1099511627776), "1.099511627776e+12");
  EXPECT_EQ(PrintNumber(0.0001), "0.0001");
  EXPECT_EQ(PrintNumber(0.00001), "1e-05");
}

}  // namespace
}  // namespace gs::localcluster
