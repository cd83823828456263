#include "programs/scheduler/options.h"

#include <gtest/gtest.h>

namespace gs::scheduler {
namespace {

using std::chrono::seconds;

SchedulerOptions Parsed(const std::vector<std::string>& args) {
  auto parsed = ParseCommandLine(args, "1.2.3");
  EXPECT_TRUE(parsed.ok()) << parsed.error();
  return parsed ? std::get<SchedulerOptions>(*std::move(parsed)) : SchedulerOptions{};
}

std::string Refusal(const std::vector<std::string>& args) {
  const auto parsed = ParseCommandLine(args, "1.2.3");
  EXPECT_FALSE(parsed.ok());
  return parsed ? "" : ToString(parsed.error());
}

std::string Shown(const std::vector<std::string>& args) {
  const auto parsed = ParseCommandLine(args, "1.2.3");
  EXPECT_TRUE(parsed.ok()) << parsed.error();
  return std::get<ShowText>(*parsed).text;
}

TEST(SchedulerOptions, HaveDefaultsThatNeedNothing) {
  const SchedulerOptions options = Parsed({});
  EXPECT_EQ(options.name, SchedulerName("gpu-scheduler"));
  EXPECT_TRUE(options.ns.empty());
  EXPECT_EQ(options.fence, Namespace("kube-system"));
  EXPECT_EQ(options.role, "");
  EXPECT_EQ(options.election.lease, seconds(15));
  EXPECT_EQ(options.election.renew_deadline, seconds(10));
  EXPECT_EQ(options.election.retry, seconds(2));
  EXPECT_EQ(options.status.port, 8080);
  EXPECT_EQ(options.api->address, "127.0.0.1");
  EXPECT_EQ(options.api->port, 8090);
  EXPECT_EQ(options.share_cap, 4);
}

TEST(SchedulerOptions, SayWhatBecomesOfPodsThatTheWebhookHasNotSeen) {
  EXPECT_EQ(Parsed({}).unseen_pods, UnseenPods::kPlace);
  EXPECT_EQ(Parsed({"--webhook-pods", "wait"}).unseen_pods, UnseenPods::kWait);
  const auto options =
      Parsed({"--webhook-pods", "recreate", "--webhook-url", "https://hook.team.svc:443/ready"});
  EXPECT_EQ(options.unseen_pods, UnseenPods::kRecreate);
  EXPECT_EQ(options.webhook->target, "/ready");
  EXPECT_EQ(Refusal({"--webhook-pods", "recreate"}),
            "--webhook-pods: recreate needs to ask the webhook; give webhook.url, or write wait");
  EXPECT_NE(Refusal({"--webhook-pods", "sometimes"}).find("off, wait or recreate"),
            std::string::npos);
  EXPECT_NE(Refusal({"--webhook-url", "no url"}).find("--webhook-url"), std::string::npos);
}

TEST(SchedulerOptions, AreReadFromTheCommandLine) {
  const SchedulerOptions options = Parsed({"--kubeconfig",
                                           "/k",
                                           "--context",
                                           "c",
                                           "--scheduler-name",
                                           "mine",
                                           "--namespace",
                                           "team",
                                           "--listen",
                                           "127.0.0.1:9",
                                           "--shared-pods-per-gpu",
                                           "2",
                                           "--release-timeout",
                                           "30s",
                                           "--log-level",
                                           "debug",
                                           "--log-format",
                                           "json",
                                           "--max-requests",
                                           "7",
                                           "--reserve-after",
                                           "90s"});
  EXPECT_EQ(options.cluster.kubeconfig, "/k");
  EXPECT_EQ(options.cluster.context, "c");
  EXPECT_EQ(options.name, SchedulerName("mine"));
  EXPECT_EQ(options.ns, Namespace("team"));
  EXPECT_EQ(options.status.address, "127.0.0.1");
  EXPECT_EQ(options.status.port, 9);
  EXPECT_EQ(options.share_cap, 2);
  EXPECT_EQ(options.release_timeout, seconds(30));
  EXPECT_EQ(options.reserve_after, seconds(90));
  EXPECT_EQ(options.log_level, runtime::LogLevel::kDebug);
  EXPECT_EQ(options.log_format, runtime::LogFormat::kJson);
  EXPECT_EQ(options.max_requests, 7U);
}

TEST(SchedulerOptions, TheApiCanBeMovedAndTurnedOff) {
  EXPECT_EQ(Parsed({"--api-listen", "0.0.0.0:9"}).api->port, 9);
  EXPECT_FALSE(Parsed({"--api-listen", "off"}).api.has_value());
  EXPECT_NE(Refusal({"--api-listen", "on"}).find("--api-listen"), std::string::npos);
}

TEST(SchedulerOptions, ARefusalNamesTheOption) {
  EXPECT_NE(Refusal({"--listen", "nowhere"}).find("--listen"), std::string::npos);
  EXPECT_NE(Refusal({"--lease-duration", "soon"}).find("--lease-duration"), std::string::npos);
  EXPECT_NE(Refusal({"--scheduler-name", "My_Own"}).find("--scheduler-name"), std::string::npos);
  EXPECT_NE(Refusal({"--scheduler-name", ""}).find("--scheduler-name"), std::string::npos);
  EXPECT_NE(Refusal({"--shared-pods-per-gpu", "0"}).find("--shared-pods"), std::string::npos);
  EXPECT_NE(Refusal({"--log-level", "loud"}).find("--log-level"), std::string::npos);
  EXPECT_NE(Refusal({"--log-format", "xml"}).find("--log-format"), std::string::npos);
  EXPECT_NE(Refusal({"--no-such"}).find("--no-such"), std::string::npos);
}

TEST(SchedulerOptions, TimesOfTheElectionMustFitTogether) {
  EXPECT_FALSE(ParseCommandLine({"--renew-deadline", "20s"}, "1").ok());
}

TEST(SchedulerOptions, VersionAndHelpAreShown) {
  EXPECT_EQ(Shown({"--version"}), "gpu-scheduler 1.2.3\n");
  EXPECT_NE(Shown({"--help"}).find("--fence-namespace"), std::string::npos);
}

}  // namespace
}  // namespace gs::scheduler
