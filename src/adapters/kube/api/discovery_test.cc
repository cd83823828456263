#include "adapters/kube/api/discovery.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::kube {
namespace {

constexpr const char* kGroups = R"({"kind":"APIGroupList","apiVersion":"v1","groups":[
    {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]},
    {"name":"storage.k8s.io","versions":[{"groupVersion":"storage.k8s.io/v1","version":"v1"},
                                         {"groupVersion":"storage.k8s.io/v1beta1","version":"v1beta1"}]}]})";
constexpr const char* kStorage = R"({"kind":"APIResourceList","groupVersion":"storage.k8s.io/v1",
    "resources":[{"name":"csinodes","kind":"CSINode"},{"name":"storageclasses/status"}]})";

TEST(Discovery, AVersionNamesItsKinds) {
  EXPECT_EQ(GroupVersionPath(kCsiNodes), "/apis/storage.k8s.io/v1");
  EXPECT_EQ(GroupVersionPath(kVolumes), "/api/v1");
  EXPECT_EQ(ServingInVersion(200, kStorage, kCsiNodes), Serving::kServed);
  EXPECT_EQ(ServingInVersion(200, kStorage, kCsiDrivers), Serving::kNotServed);
  EXPECT_EQ(ServingInVersion(200, kStorage, kStorageClasses), Serving::kNotServed)
      << "only a part of it is served";
}

TEST(Discovery, TheGroupsNameTheirVersions) {
  EXPECT_EQ(ServingInGroups(200, kGroups, kCsiNodes), Serving::kServed);
  EXPECT_EQ(ServingInGroups(200, kGroups, kClaims), Serving::kNotServed);
  EXPECT_EQ(ServingInGroups(200, kGroups, {"apps", "v2", "deployments"}), Serving::kNotServed);
  EXPECT_EQ(ServingInGroups(200, kGroups, kVolumes), Serving::kUnknown) << "that is none of them";
}

TEST(Discovery, WhatIsNoAnswerOfAnApiServerSaysNothing) {
  for (const int status : {200, 404, 403, 503}) {
    for (const char* body : {"", "404 page not found", "{}", "[]", R"({"kind":"Status"})",
                             R"({"kind":"APIGroupList"})", R"({"kind":"APIResourceList"})",
                             R"({"kind":"APIGroupList","groups":7})",
                             R"({"kind":"APIResourceList","resources":[7]})"}) {
      EXPECT_EQ(ServingInVersion(status, body, kClaims), Serving::kUnknown) << status << body;
      EXPECT_EQ(ServingInGroups(status, body, kClaims), Serving::kUnknown) << status << body;
    }
  }
  EXPECT_EQ(ServingInVersion(404, kStorage, kCsiDrivers), Serving::kUnknown);
  EXPECT_EQ(ServingInGroups(503, kGroups, kClaims), Serving::kUnknown);
}

}  // namespace
}  // namespace gs::kube
