#include "programs/webhook/certificate_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/runtime/mailbox.h"

namespace gs::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const certificates::Authority& OurAuthority() {
  static const auto kAuthority = certificates::Authority::Create("ca", 1);
  return *kAuthority;
}

ServingBundle Bundle(const std::string& host = "hook.team.svc", int valid_days = 1) {
  auto issued = OurAuthority().Issue({.name = host,
                                      .alternative = "DNS:" + host,
                                      .valid_from_days = -3,
                                      .valid_until_days = valid_days});
  return {*std::move(issued), OurAuthority().own().certificate_pem};
}

// Gives what it is told to, and says how often it was asked.
class Script final : public CertificateSource {
 public:
  explicit Script(std::vector<Result<ServingBundle>> answers) : answers_(std::move(answers)) {}

  Result<ServingBundle> Read(TimePoint /*now*/) override {
    const std::size_t i = std::min(asked_++, answers_.size() - 1);
    return answers_[i];
  }

 private:
  const std::vector<Result<ServingBundle>> answers_;
  std::size_t asked_ = 0;
};

class KeeperTest : public testing::Test {
 protected:
  void Keep(std::vector<Result<ServingBundle>> answers) {
    keeper_ = std::make_unique<CertificateKeeper>(
        std::make_unique<Script>(std::move(answers)),
        KeeperOptions{.host = "hook.team.svc", .period = std::chrono::milliseconds(1)}, clock_,
        registry_,
        runtime::Logger(
            {.write = [this](std::string_view line) { (void)lines_.Push(std::string(line)); }}),
        [this](const certificates::Certificate& good) {
          (void)used_.Push(good);
          return Result<void>();
        });
  }
  // The lines of the log up to one that says this.
  std::string LogUntil(const std::string& word) {
    std::string all;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (all.find(word) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      for (const auto& line : lines_.Drain(deadline)) all += line;
    }
    return all;
  }

  runtime::SystemClock clock_;
  metrics::Registry registry_;
  runtime::Mailbox<std::string> lines_;
  runtime::Mailbox<certificates::Certificate> used_;
  std::unique_ptr<CertificateKeeper> keeper_;
};

TEST_F(KeeperTest, UsesWhatIsGoodAndItsSuccessor) {
  const auto first = Bundle();
  const auto second = Bundle();
  Keep({Error(ErrorKind::kUnavailable, "no server"), first, first, second});
  const auto log = LogUntil("uses a certificate") + LogUntil("uses a certificate");
  EXPECT_THAT(log, HasSubstr("no server"));
  EXPECT_THAT(used_.Drain(), ElementsAre(first.serving, second.serving));
  EXPECT_EQ(keeper_->WhyNotReady(), "");
  EXPECT_THAT(registry_.Print(), HasSubstr("gpu_webhook_certificate_expiry_timestamp_seconds"));
}

TEST_F(KeeperTest, ShowsNothingThatClientsWereNotToldOf) {
  const auto first = Bundle();
  auto untold = Bundle();
  auto told = untold;
  untold.is_trusted = false;
  Keep({untold, first, untold, first, untold, told});
  (void)LogUntil("uses a certificate");
  (void)LogUntil("uses a certificate");
  EXPECT_THAT(used_.Drain(), ElementsAre(first.serving, told.serving));
  EXPECT_THAT(registry_.Print(), HasSubstr("gpu_webhook_certificate_problem 0"));
}

TEST_F(KeeperTest, ChangesOnlyWhenClientsHadATimeToNotice) {
  const auto first = Bundle();
  Keep({first, Bundle(), first});
  (void)LogUntil("uses a certificate");
  keeper_.reset();
  EXPECT_THAT(used_.Drain(), ElementsAre(first.serving));
}

TEST_F(KeeperTest, KeepsTheLastGoodOne) {
  const auto good = Bundle();
  for (const auto& bad : {Bundle("other.team.svc"), Bundle("hook.team.svc", -2),
                          ServingBundle{{good.serving.certificate_pem, "no key"}, ""}}) {
    Keep({good, bad});
    EXPECT_THAT(LogUntil("keeps the last good certificate"), HasSubstr("uses a certificate"));
    EXPECT_THAT(used_.Drain(), ElementsAre(good.serving));
    EXPECT_EQ(keeper_->WhyNotReady(), "");
    keeper_.reset();
    registry_ = metrics::Registry();
  }
}

TEST_F(KeeperTest, SaysWhyThereIsNone) {
  Keep({Bundle("other.team.svc")});
  EXPECT_THAT(LogUntil("no certificate yet"), HasSubstr("not for hook.team.svc"));
  keeper_.reset();
  EXPECT_TRUE(used_.Drain(std::chrono::steady_clock::now()).empty());
}

}  // namespace
}  // namespace gs::webhook
