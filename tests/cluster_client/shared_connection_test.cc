// A real API server speaks HTTP/2: many requests at a time share a few connections.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <latch>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include "adapters/http/url.h"
#include "tests/cluster_client/plane_test.h"

namespace gs::testing {
namespace {

constexpr int kMany = 64;

// "socket:[12345]" for each that this process has.
std::set<std::string> OwnSockets() {
  std::set<std::string> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the folder itself, when it was listed
    sockets.insert(std::filesystem::read_symlink(entry.path(), gone).string());
  }
  return sockets;
}

// Connections of this process to a port of this machine.
int ConnectionsTo(std::uint16_t port) {
  const auto own = OwnSockets();
  std::ostringstream wanted;
  wanted << ":" << std::uppercase << std::hex << std::setfill('0') << std::setw(4) << port;
  std::ifstream table("/proc/self/net/tcp");
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string ignored;
    std::string remote;
    std::string inode;
    fields >> ignored >> ignored >> remote;
    for (int i = 0; i < 7; ++i) fields >> inode;
    if (remote.ends_with(wanted.str()) && own.contains("socket:[" + inode + "]")) ++count;
  }
  return count;
}

using SharedConnectionTest = PlaneTest;

TEST_F(SharedConnectionTest, ManyRequestsAtATimeShareAFewConnections) {
  const auto url = http::ParseUrl(settings_.server);
  ASSERT_TRUE(url.ok());
  const int before = ConnectionsTo(url->port);
  const auto client = ClientOf(settings_);
  std::atomic<int> answers = 0;
  std::latch ended(kMany);
  for (int i = 0; i < kMany; ++i) {
    http::Request request;
    request.target = "/api/v1/namespaces/" + ns_.text();
    client->SendThen(std::move(request), {}, [&](const http::Outcome& outcome) {
      const auto* response = std::get_if<http::Response>(&outcome);
      if (response != nullptr && response->status == 200) ++answers;
      ended.count_down();
    });
  }
  ended.wait();
  EXPECT_EQ(answers, kMany);
  const int made = ConnectionsTo(url->port) - before;
  EXPECT_GE(made, 1);
  EXPECT_LE(made, kMany / 16);
}

}  // namespace
}  // namespace gs::testing
