// An API over an empty cluster with the namespace "default", for tests: requests as text, answers
// as text.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <string>
#include <string_view>

#include "adapters/localcluster/api/api.h"
#include "adapters/localcluster/api/watch_stream.h"
#include "adapters/localcluster/rules/rules.h"
#include "base/check.h"

namespace gs::localcluster {

class ApiForTest {
 public:
  explicit ApiForTest(StoreLimits limits = {}) : store(limits) {
    GS_CHECK(Post("/api/v1/namespaces", R"({"metadata":{"name":"default"}})").status == 201);
  }

  ApiReply Send(http::Method method, std::string target, std::string body = "",
                std::string type = "application/json", std::string accept = "") {
    http::Request request{.method = method,
                          .target = std::move(target),
                          .headers = {{"Content-Type", std::move(type)}},
                          .body = std::move(body),
                          .peer = {}};
    if (!accept.empty()) request.headers.Add("Accept", std::move(accept));
    return api.Handle(TakeApart(std::move(request), User{}));
  }
  ApiReply Get(std::string target) { return Send(http::Method::kGet, std::move(target)); }
  ApiReply Post(std::string target, std::string body) {
    return Send(http::Method::kPost, std::move(target), std::move(body));
  }
  ApiReply Put(std::string target, std::string body) {
    return Send(http::Method::kPut, std::move(target), std::move(body));
  }
  ApiReply Patch(std::string target, std::string_view kind, std::string body) {
    return Send(http::Method::kPatch, std::move(target), std::move(body),
                "application/" + std::string(kind) + "-patch+json");
  }
  ApiReply Delete(std::string target, std::string body = "") {
    return Send(http::Method::kDelete, std::move(target), std::move(body));
  }
  static boost::json::object Parse(const ApiReply& reply) {
    return boost::json::parse(reply.Text()).as_object();
  }
  // A pod that is valid, with more of its metadata.
  static std::string Pod(std::string_view name, std::string_view more_metadata = "") {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) + "\"" +
           std::string(more_metadata) +
           R"(},"spec":{"containers":[{"name":"c","image":"busybox"}]}})";
  }

  Store store;
  Kinds kinds;
  runtime::ManualClock clock{TimePoint(std::chrono::seconds(1'700'000'000))};
  ObjectNames names{1};
  Rules rules{store, names};
  Objects objects{store, kinds, clock, names,
                  [this](Attempt& attempt) { return rules.Admit(attempt); }};
  Api api{objects};
};

inline constexpr const char* kPods = "/api/v1/namespaces/default/pods";

}  // namespace gs::localcluster
