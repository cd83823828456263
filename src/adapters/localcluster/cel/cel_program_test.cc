#include "adapters/localcluster/cel/cel_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace gs::localcluster {
namespace {

using testing::HasSubstr;

constexpr const char* kPod = R"({
  "metadata": {"name": "p", "namespace": "ns", "annotations": {"gpu.scheduling/claim": "c"},
               "labels": {}},
  "spec": {"schedulerName": "gpu-scheduler", "priority": 5,
           "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]},
  "ids": [1, 2, 3], "half": 0.5, "nothing": null})";

// "true", "false", "refused: ..." by the compiler or "error: ..." while it runs.
std::string Outcome(const std::string& expression, const std::string& object = kPod) {
  const auto program = CelProgram::Compile(expression, {{.name = "object"}, {.name = "request"}});
  if (!program) return "refused: " + program.error().message();
  const auto value = boost::json::parse(object);
  const auto request = boost::json::parse(R"({"operation":"CREATE","namespace":"ns"})");
  const auto outcome =
      program->IsTrue(std::vector<CelBinding>{{"object", &value}, {"request", &request}});
  if (!outcome) return "error: " + outcome.error().message();
  return *outcome ? "true" : "false";
}

TEST(Cel, AnswersWhatWebhooksAsk) {
  EXPECT_EQ(Outcome("object.spec.schedulerName == 'gpu-scheduler'"), "true");
  EXPECT_EQ(Outcome("object.spec.schedulerName != \"gpu-scheduler\""), "false");
  EXPECT_EQ(Outcome("has(object.metadata.annotations) && "
                    "'gpu.scheduling/claim' in object.metadata.annotations"),
            "true");
  EXPECT_EQ(Outcome("has(object.spec.nodeName)"), "false");
  EXPECT_EQ(Outcome("request.operation == 'CREATE' && request.namespace == 'ns'"), "true");
  EXPECT_EQ(Outcome("object.metadata.annotations['gpu.scheduling/claim'] == 'c'"), "true");
  EXPECT_EQ(Outcome("!(request.operation in ['UPDATE', 'DELETE'])"), "true");
  EXPECT_EQ(Outcome("object.spec.containers.all(c, c.image != '')"), "true");
  EXPECT_EQ(Outcome("object.spec.containers.exists(c, c.name == 'b')"), "true");
  EXPECT_EQ(Outcome("object.metadata.annotations.exists(k, k.startsWith('gpu.scheduling/'))"),
            "true");
}

TEST(Cel, CountsAndCompares) {
  EXPECT_EQ(Outcome("size(object.ids) == 3 && object.ids.size() >= 3"), "true");
  EXPECT_EQ(Outcome("size('äöü') == 3 && size(object.metadata.labels) == 0"), "true");
  EXPECT_EQ(Outcome("object.ids[0] < object.ids[2]"), "true");
  EXPECT_EQ(Outcome("object.spec.priority * 2 + 1 == 11 && 7 / 2 == 3 && -7 % 4 == -3"), "true");
  EXPECT_EQ(Outcome("object.half < 1.0 && object.half < object.ids[0]"), "true");
  EXPECT_EQ(Outcome("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9"), "true");
  EXPECT_EQ(Outcome("'a' + 'b' == 'ab' && 'a' < 'b'"), "true");
  EXPECT_EQ(Outcome("object.ids.exists_one(i, i == 2)"), "true");
  EXPECT_EQ(Outcome("object.ids.exists_one(i, i > 1)"), "false");
  EXPECT_EQ(Outcome("2 in object.ids && !(4 in object.ids)"), "true");
  EXPECT_EQ(Outcome("[1, 2, 3] == object.ids"), "true");
  EXPECT_EQ(Outcome("object.nothing == null"), "true");
}

TEST(Cel, LooksIntoTexts) {
  EXPECT_EQ(Outcome("object.metadata.name.matches('^[a-z]+$')"), "true");
  EXPECT_EQ(Outcome("'abc'.contains('b') && 'abc'.endsWith('bc') && 'Ab'.lowerAscii() == 'ab'"),
            "true");
  EXPECT_EQ(Outcome(R"('a\'b' == "a'b" && r'\d' == '\\d')"), "true");
}

TEST(Cel, Chooses) {
  EXPECT_EQ(Outcome("has(object.spec.x) ? object.spec.x == 1 : object.spec.priority == 5"), "true");
  EXPECT_EQ(Outcome("true ? false : true"), "false");
}

TEST(Cel, WhatIsMissingIsAnError) {
  EXPECT_EQ(Outcome("object.spec.nodeName == ''"), "error: no such key: nodeName");
  EXPECT_EQ(Outcome("object.ids[3] == 1"), "error: index out of bounds: 3");
  EXPECT_EQ(Outcome("object.spec.priority / 0 == 1"), "error: division by zero");
  EXPECT_EQ(Outcome("9223372036854775807 + object.ids[0] > 0"), "error: integer overflow");
  EXPECT_EQ(Outcome("object.metadata.name < 1"), "error: no such overload");
  EXPECT_EQ(Outcome("object.metadata"), "error: must evaluate to bool");
}

TEST(Cel, LogicAbsorbsErrorsThatDoNotMatter) {
  EXPECT_EQ(Outcome("object.x == 1 || true"), "true");
  EXPECT_EQ(Outcome("true || object.x == 1"), "true");
  EXPECT_EQ(Outcome("object.x == 1 && false"), "false");
  EXPECT_EQ(Outcome("object.x == 1 || false"), "error: no such key: x");
  EXPECT_EQ(Outcome("object.x == 1 && true"), "error: no such key: x");
  EXPECT_EQ(Outcome("object.ids.all(i, i == 1 ? object.x : i != 2)"), "false");
  EXPECT_EQ(Outcome("object.ids.exists(i, i == 1 ? object.x : i == 2)"), "true");
  EXPECT_EQ(Outcome("object.ids.exists_one(i, i == 1 ? object.x : i == 2)"),
            "error: no such key: x");
}

TEST(Cel, RefusesWhatItDoesNotOfferWhenItIsCompiled) {
  for (const auto* expression :
       {"object.?spec", "{'a': 1} == object", "b'a' == b'a'", "1u == 1u", "'''a''' == 'a'",
        "timestamp('2024-01-01T00:00:00Z') == object", "quantity('1') == object",
        "object.ids.map(i, i)[0] == 1", "object.ids.exists2(i, i)", "dyn(1) == 1",
        "object.metadata.name.matches(object.metadata.name)", "type(object) == 1", "0x10 == 16",
        "object.metadata.name.split(',')[0] == 'a'"}) {
    EXPECT_THAT(Outcome(expression), testing::StartsWith("refused: compilation failed: ERROR"))
        << expression;
  }
}

TEST(Cel, RefusesWhatMakesNoSense) {
  for (const auto* expression : {"",
                                 "object.",
                                 "(object",
                                 "object)",
                                 "1 +",
                                 "'a",
                                 "object..x",
                                 "== 1",
                                 "has(object)",
                                 "has(object.a, object.b)",
                                 "nobody == 1",
                                 "1 == 'a'",
                                 "1 + 'a' == 2",
                                 "!1",
                                 "true && 1",
                                 "size(1) == 1",
                                 "[1].all(1, true)",
                                 "'a'.all(x, true)",
                                 "1 < 'a'",
                                 "1 in 'a'",
                                 "a#b",
                                 "object.name.matches('(')",
                                 "true ? 1 : 'a'",
                                 "99999999999999999999 == 1",
                                 "for == 1",
                                 "'a'.startsWith(1)",
                                 "-'a' == 1",
                                 "1[0] == 1"}) {
    EXPECT_THAT(Outcome(expression), testing::StartsWith("refused: ")) << expression;
  }
}

TEST(Cel, SaysWhereAsTheServerDoes) {
  EXPECT_EQ(Outcome("true && nobody"),
            "refused: compilation failed: ERROR: <input>:1:9: undeclared reference to 'nobody' (in "
            "container '')\n | true && nobody\n | ........^");
  EXPECT_EQ(
      Outcome("1 == 'a'"),
      "refused: compilation failed: ERROR: <input>:1:3: found no matching overload for '_==_' "
      "applied to '(int, string)'\n | 1 == 'a'\n | ..^");
  EXPECT_EQ(Outcome("1"), "refused: must evaluate to bool");
}

TEST(Cel, ChecksFieldsOfWhatIsKnown) {
  const auto number = CelType::Of(CelType::Kind::kInt);
  const auto self =
      CelType::ObjectOf({{"count", number},
                         {"name-x", CelType::Of(CelType::Kind::kString)},
                         {"namespace", CelType::Of(CelType::Kind::kString)},
                         {"ids", CelType::ListOf(number)},
                         {"labels", CelType::MapOf(CelType::Of(CelType::Kind::kString))}});
  const auto refusal = [&](const char* expression) {
    const auto program = CelProgram::Compile(expression, {{.name = "self", .type = self}});
    return program ? std::string() : program.error().message();
  };
  EXPECT_EQ(refusal("self.count == 1 && self.ids.all(i, i > 0) && self.labels['a'] == 'b'"), "");
  EXPECT_EQ(refusal("self.name__dash__x == '' && self.__namespace__ == ''"), "");
  EXPECT_THAT(refusal("self.cuont == 1"), HasSubstr("<input>:1:5: undefined field 'cuont'"));
  EXPECT_THAT(refusal("has(self.cuont)"), HasSubstr("undefined field 'cuont'"));
  EXPECT_THAT(refusal("self.count == 'a'"), HasSubstr("applied to '(int, string)'"));
  EXPECT_THAT(refusal("self.ids.all(i, i == 'a')"), HasSubstr("applied to '(int, string)'"));
  EXPECT_THAT(refusal("self.count.x == 1"),
              HasSubstr("type 'int' does not support field selection"));
  EXPECT_THAT(refusal("self.count.all(x, true)"), HasSubstr("cannot be range of a comprehension"));
}

TEST(Cel, KnowsWhichVariablesItUses) {
  const std::vector<CelVariable> variables{{.name = "self"}, {.name = "oldSelf"}};
  EXPECT_TRUE(CelProgram::Compile("self.a == oldSelf.a", variables)->Uses("oldSelf"));
  EXPECT_FALSE(CelProgram::Compile("self.oldSelf == 1", variables)->Uses("oldSelf"));
  EXPECT_FALSE(CelProgram::Compile("self.all(oldSelf, oldSelf == 1)", variables)->Uses("oldSelf"));
}

TEST(Cel, GivesTexts) {
  const auto program =
      CelProgram::Compile("'is ' + self", {{.name = "self"}}, CelType::Kind::kString);
  ASSERT_TRUE(program.ok());
  const boost::json::value self = "wrong";
  EXPECT_EQ(program->Text(std::vector<CelBinding>{{"self", &self}}).value(), "is wrong");
}

TEST(Cel, GivesUpInsteadOfRunningForEver) {
  boost::json::array many(2000, 1);
  const std::string object = R"({"l":)" + boost::json::serialize(many) + "}";
  EXPECT_EQ(Outcome("object.l.all(a, object.l.all(b, a == b))", object),
            "error: operation cancelled: actual cost limit exceeded");
  EXPECT_THAT(Outcome(std::string(500, '(') + "true" + std::string(500, ')')),
              HasSubstr("recursion limit"));
  std::string sum = "1";
  for (int i = 0; i < 500; ++i) sum += "+1";
  EXPECT_THAT(Outcome(sum + " == 1"), HasSubstr("recursion limit"));
}

}  // namespace
}  // namespace gs::localcluster
