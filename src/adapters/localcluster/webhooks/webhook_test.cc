#include "adapters/localcluster/webhooks/webhook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/certificates/authority.h"
#include "adapters/http/server.h"
#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/rules.h"
#include "adapters/localcluster/store/object_text.h"
#include "adapters/localcluster/webhooks/webhook_caller.h"
#include "adapters/runtime/clock.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

json::object Parse(std::string_view text) { return json::parse(text).as_object(); }

// A webhook that answers what it is told to, and remembers what it was asked.
class WebhookTest : public testing::Test {
 protected:
  WebhookTest() {
    const auto serving = authority_.Issue({.name = "hook", .alternative = "IP:127.0.0.1"});
    GS_CHECK(serving.ok());
    auto started = http::Server::Start(
        threads_,
        {.tls = http::ServerTls{.credentials = {.certificate_pem = serving->certificate_pem,
                                                .key_pem = serving->key_pem,
                                                .ca_pem = ""}}},
        [this](http::Request request) -> boost::asio::awaitable<http::Reply> {
          co_return Serve(std::move(request));
        });
    GS_CHECK(started.ok());
    server_ = *std::move(started);
    rules_.AskAlso([this](Attempt& attempt) { return caller_.Ask(attempt); });
    Create("namespaces", "", R"({"metadata":{"name":"default","labels":{"team":"a"}}})");
  }

  http::Response Serve(http::Request request) {
    const runtime::MutexLock lock(mutex_);
    asked_.push_back(Parse(request.body));
    auto response = response_;
    response["uid"] = std::string(Text(asked_.back(), {"request", "uid"}));
    return {.status = 200,
            .headers = {{"Content-Type", "application/json"}},
            .body = json::serialize(json::object{{"response", std::move(response)}})};
  }
  void Respond(std::string_view response) {
    const runtime::MutexLock lock(mutex_);
    response_ = Parse(response);
  }
  std::vector<json::object> asked() {
    const runtime::MutexLock lock(mutex_);
    return asked_;
  }

  Answer<ObjectPtr> TryCreate(std::string_view resource, const std::string& ns,
                              std::string_view text) {
    return objects_.Create(*kinds_.Find(resource), ns, Parse(text));
  }
  json::object Create(std::string_view resource, const std::string& ns, std::string_view text) {
    const auto made = TryCreate(resource, ns, text);
    if (!made) {
      ADD_FAILURE() << made.status().message;
      return {};
    }
    return ParseStored((*made)->text);
  }
  // One webhook about new pods, with more members.
  void Configure(std::string_view more = "") {
    const std::string url = "https://127.0.0.1:" + std::to_string(server_->port()) + "/mutate";
    Create(
        "mutatingwebhookconfigurations.admissionregistration.k8s.io", "",
        R"({"metadata":{"name":"hooks"},"webhooks":[{"name":"pods.example.com","clientConfig":{)"
        R"("url":")" +
            url + R"(","caBundle":")" + kube::EncodeBase64(authority_.own().certificate_pem) +
            R"("},"rules":[{"operations":["CREATE","DELETE"],"apiGroups":[""],"apiVersions":["v1"],)"
            R"("resources":["pods"]}],"sideEffects":"None","admissionReviewVersions":["v1"])" +
            std::string(more) + "}]}");
  }
  static constexpr const char* kPod =
      R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"x"}]}})";

  runtime::Mutex mutex_;
  json::object response_ GS_GUARDED_BY(mutex_) = {{"allowed", true}};
  std::vector<json::object> asked_ GS_GUARDED_BY(mutex_);
  certificates::Authority authority_ = *certificates::Authority::Create("test", 1);
  Store store_;
  Kinds kinds_;
  runtime::ManualClock clock_;
  ObjectNames names_{1};
  Rules rules_{store_, names_};
  Objects objects_{store_, kinds_, clock_, names_,
                   [this](Attempt& attempt) { return rules_.Admit(attempt); }};
  runtime::IoThreads threads_{2};
  WebhookCaller caller_{store_, names_, threads_};
  std::unique_ptr<http::Server> server_;
};

TEST_F(WebhookTest, AWebhookChangesAPod) {
  Configure();
  Respond(R"({"allowed":true,"patchType":"JSONPatch","patch":")" +
          kube::EncodeBase64(R"([{"op":"add","path":"/metadata/labels","value":{"seen":"yes"}}])") +
          "\"}");
  const auto pod = Create("pods", "default", kPod);
  EXPECT_EQ(Text(pod, {"metadata", "labels", "seen"}), "yes");
  ASSERT_EQ(asked().size(), 1U);
  const auto review = asked()[0];
  EXPECT_EQ(Text(review, {"apiVersion"}), "admission.k8s.io/v1");
  EXPECT_EQ(Text(review, {"request", "operation"}), "CREATE");
  EXPECT_EQ(Text(review, {"request", "namespace"}), "default");
  EXPECT_EQ(Text(review, {"request", "object", "spec", "restartPolicy"}), "Always");
}

TEST_F(WebhookTest, ARefusalIsTheUsersAnswer) {
  Configure();
  Respond(R"({"allowed":false,"status":{"code":403,"message":"no GPUs for you"}})");
  const auto refused = TryCreate("pods", "default", kPod);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, 403);
  EXPECT_EQ(refused.status().message,
            R"(admission webhook "pods.example.com" denied the request: no GPUs for you)");
}

TEST_F(WebhookTest, OnlyWhatItIsAboutIsAsked) {
  Configure(R"(,"objectSelector":{"matchLabels":{"gpu":"yes"}})");
  Create("configmaps", "default", R"({"metadata":{"name":"c"}})");
  Create("pods", "default", kPod);
  EXPECT_EQ(asked().size(), 0U);
  Create("pods", "default",
         R"({"metadata":{"name":"b","labels":{"gpu":"yes"}},)"
         R"("spec":{"containers":[{"name":"c","image":"x"}]}})");
  EXPECT_EQ(asked().size(), 1U);
}

TEST_F(WebhookTest, NamespacesAreSelectedByTheirLabels) {
  Configure(R"(,"namespaceSelector":{"matchLabels":{"team":"b"}})");
  Create("pods", "default", kPod);
  EXPECT_EQ(asked().size(), 0U);
}

TEST_F(WebhookTest, ConditionsDecideBeforeTheCall) {
  Configure(R"(,"matchConditions":[{"name":"ours","expression":)"
            R"("object.spec.schedulerName == 'gpu-scheduler'"}])");
  Create("pods", "default", kPod);
  EXPECT_EQ(asked().size(), 0U);
  Create("pods", "default",
         R"({"metadata":{"name":"b"},"spec":{"schedulerName":"gpu-scheduler",)"
         R"("containers":[{"name":"c","image":"x"}]}})");
  EXPECT_EQ(asked().size(), 1U);
}

TEST_F(WebhookTest, ADeletionCanBeRefused) {
  Configure();
  Create("pods", "default", kPod);
  Respond(R"({"allowed":false,"status":{"code":403,"message":"it stays"}})");
  const auto deleted = objects_.Delete(*kinds_.Find("pods"), "default", "a");
  ASSERT_FALSE(deleted.ok());
  EXPECT_THAT(deleted.status().message, HasSubstr("it stays"));
  EXPECT_TRUE(objects_.Get(*kinds_.Find("pods"), "default", "a").ok());
  const auto review = asked().back();
  EXPECT_EQ(Text(review, {"request", "operation"}), "DELETE");
  EXPECT_EQ(Text(review, {"request", "oldObject", "metadata", "name"}), "a");
  EXPECT_TRUE(review.at("request").at("object").is_null());
}

TEST_F(WebhookTest, AConfigurationThatCannotBeAskedIsRefusedWhenItIsWritten) {
  const auto refused = TryCreate(
      "mutatingwebhookconfigurations.admissionregistration.k8s.io", "",
      R"({"metadata":{"name":"hooks"},"webhooks":[{"name":"pods.example.com","clientConfig":)"
      R"({"url":"http://127.0.0.1"},"matchConditions":[{"name":"c","expression":"object."}]}]})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, 422);
  for (const auto* field :
       {"webhooks[0].matchConditions[0].expression: Invalid value", "webhooks[0].clientConfig.url",
        "webhooks[0].sideEffects: Required value", "webhooks[0].admissionReviewVersions"}) {
    EXPECT_THAT(refused.status().message, HasSubstr(field));
  }
}

TEST_F(WebhookTest, AnAbsentWebhookIsFatalOrIgnored) {
  server_.reset();
  const auto configure = [&](const std::string& name, const std::string& policy) {
    Create(
        "mutatingwebhookconfigurations.admissionregistration.k8s.io", "",
        R"({"metadata":{"name":")" + name + R"("},"webhooks":[{"name":")" + name +
            R"(.example.com","failurePolicy":")" + policy +
            R"(","clientConfig":{"service":{"namespace":"default","name":"gone"}},)"
            R"("rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],)"
            R"("resources":["pods"]}],"sideEffects":"None","admissionReviewVersions":["v1"]}]})");
  };
  configure("soft", "Ignore");
  Create("pods", "default", kPod);
  configure("hard", "Fail");
  const auto refused = TryCreate("pods", "default",
                                 R"({"metadata":{"name":"b"},)"
                                 R"("spec":{"containers":[{"name":"c",)"
                                 R"("image":"x"}]}})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, 500);
  EXPECT_THAT(refused.status().message,
              StartsWith("Internal error occurred: failed calling webhook \"hard.example.com\""));
  EXPECT_THAT(refused.status().message, HasSubstr("service \"gone\" not found"));
}

TEST(CompileWebhooks, RefusesConditionsItCannotDecide) {
  Faults faults;
  (void)CompileWebhooks(
      Parse(R"({"webhooks":[{"name":"x","clientConfig":{"url":"https://a"},)"
            R"("sideEffects":"None","admissionReviewVersions":["v1"],)"
            R"("matchConditions":[{"name":"y","expression":"authorizer == null"}]}]})"),
      faults);
  EXPECT_FALSE(faults.empty());
}

}  // namespace
}  // namespace gs::localcluster
