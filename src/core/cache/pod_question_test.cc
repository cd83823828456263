#include "core/cache/pod_question.h"

#include <gtest/gtest.h>

namespace gs::cache {
namespace {

TEST(PodQuestion, IsAboutOneNamespaceOnlyWhereNoTermGoesByLabels) {
  model::PodAffinityTerm named;
  named.namespaces = {Namespace("red")};
  model::PodAffinityTerm by_labels;
  by_labels.namespace_selector.emplace();
  PodQuestion question;
  question.terms = {named};
  EXPECT_EQ(question.scope(), Namespace("red"));
  question.terms = {named, by_labels};
  EXPECT_EQ(question.scope(), Namespace());
}

}  // namespace
}  // namespace gs::cache
