#include "adapters/localcluster/select/label_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gs::localcluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(LabelRules, NamesHaveAnOptionalPrefix) {
  EXPECT_THAT(LabelNameFaults("app"), IsEmpty());
  EXPECT_THAT(LabelNameFaults("gpu.scheduling/claim_2.x"), IsEmpty());
  EXPECT_THAT(LabelNameFaults("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(LabelNameFaults("Upper/x"),
              ElementsAre(StartsWith("prefix part a lowercase RFC 1123 subdomain must consist")));
  EXPECT_THAT(LabelNameFaults("a/b/c"), ElementsAre(StartsWith("a valid label key must consist")));
  EXPECT_THAT(LabelNameFaults("a/"),
              ElementsAre("name part must be non-empty", StartsWith("name part must consist of")));
}

TEST(LabelRules, NamesAndValuesHaveAtMost63Characters) {
  EXPECT_THAT(LabelNameFaults(std::string(63, 'x')), IsEmpty());
  EXPECT_THAT(LabelNameFaults(std::string(64, 'x')),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(LabelValueFaults(std::string(64, 'x')), ElementsAre("must be no more than 63 bytes"));
}

TEST(LabelRules, ValuesMayBeEmptyAndEndWithLettersOrDigits) {
  EXPECT_THAT(LabelValueFaults(""), IsEmpty());
  EXPECT_THAT(LabelValueFaults("a_b.c-1"), IsEmpty());
  EXPECT_THAT(
      LabelValueFaults("-a"),
      ElementsAre("a valid label must be an empty string or consist of alphanumeric characters, "
                  "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                  "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
}

}  // namespace
}  // namespace gs::localcluster
