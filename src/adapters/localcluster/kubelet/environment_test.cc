#include "adapters/localcluster/kubelet/environment.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "adapters/localcluster/kubelet/known_program.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

Json Parse(std::string_view yaml) { return *yaml::ParseYaml(yaml); }

const Json kPod = Parse(R"(
kind: Pod
metadata:
  name: a
  namespace: team
  uid: u1
  labels: {app: web}
  annotations: {gpu.scheduling/visible-devices: "0,1"}
spec:
  nodeName: node1
  serviceAccountName: default
  containers:
  - name: main
    resources: {limits: {cpu: 1500m}, requests: {memory: 100Mi}}
)");

EnvironmentSources Sources() {
  return {.find = [](std::string_view kind, std::string_view name) -> std::optional<Json> {
            if (kind == "ConfigMap" && name == "settings") {
              return Parse("{kind: ConfigMap, data: {LEVEL: high, MODE: fast}}");
            }
            if (kind == "Secret" && name == "token") {
              return Parse("{kind: Secret, data: {KEY: czNjcmV0}}");
            }
            return std::nullopt;
          },
          .addresses = {.host_ip = "10.0.0.1", .pod_ip = "10.244.0.2"},
          .allocatable = Parse("{cpu: '8', memory: 1Gi}")};
}

std::map<std::string, std::string> Resolve(std::string_view container) {
  const Json parsed = Parse(container);
  const auto resolved = ResolveEnvironment(kPod, parsed, Sources());
  EXPECT_TRUE(resolved.ok()) << resolved.error();
  if (!resolved.ok()) return {};
  return {resolved->begin(), resolved->end()};
}

std::string Refusal(std::string_view container) {
  const Json parsed = Parse(container);
  const auto resolved = ResolveEnvironment(kPod, parsed, Sources());
  return resolved.ok() ? "" : resolved.error().message();
}

TEST(Environment, FieldsOfThePod) {
  const auto env = Resolve(R"(
env:
- {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
- {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
- {name: APP, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}
- {name: CUDA_VISIBLE_DEVICES, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['gpu.scheduling/visible-devices']"}}}
- {name: NONE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['none']"}}}
)");
  EXPECT_EQ(env.at("NAME"), "a");
  EXPECT_EQ(env.at("NODE_NAME"), "node1");
  EXPECT_EQ(env.at("IP"), "10.244.0.2");
  EXPECT_EQ(env.at("APP"), "web");
  EXPECT_EQ(env.at("CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(env.at("NONE"), "");
  EXPECT_NE(Refusal("env: [{name: X, valueFrom: {fieldRef: {fieldPath: spec.nothing}}}]"), "");
}

TEST(Environment, ConfigMapsAndSecrets) {
  const auto env = Resolve(R"(
envFrom:
- {prefix: P_, configMapRef: {name: settings}}
- {secretRef: {name: none, optional: true}}
env:
- {name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: LEVEL}}}
- {name: KEY, valueFrom: {secretKeyRef: {name: token, key: KEY}}}
- {name: GONE, valueFrom: {configMapKeyRef: {name: none, key: x, optional: true}}}
)");
  EXPECT_EQ(env.at("P_MODE"), "fast");
  EXPECT_EQ(env.at("LEVEL"), "high");
  EXPECT_EQ(env.at("KEY"), "s3cret");
  EXPECT_FALSE(env.contains("GONE"));
}

TEST(Environment, WhatIsMissingIsNamedAsAKubeletDoes) {
  EXPECT_EQ(Refusal("envFrom: [{configMapRef: {name: none}}]"), "configmap \"none\" not found");
  EXPECT_EQ(Refusal("env: [{name: X, valueFrom: {secretKeyRef: {name: none, key: k}}}]"),
            "secret \"none\" not found");
  EXPECT_EQ(Refusal("env: [{name: X, valueFrom: {configMapKeyRef: {name: settings, key: k}}}]"),
            "couldn't find key k in ConfigMap team/settings");
}

TEST(Environment, AmountsAreRoundedUpInTheUnitAskedFor) {
  const auto env = Resolve(R"(
env:
- {name: CPU, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.cpu}}}
- {name: MILLI, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.cpu, divisor: 1m}}}
- {name: MIB, valueFrom: {resourceFieldRef: {containerName: main, resource: requests.memory, divisor: 1Mi}}}
- {name: NODE, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.memory}}}
)");
  EXPECT_EQ(env.at("CPU"), "2");
  EXPECT_EQ(env.at("MILLI"), "1500");
  EXPECT_EQ(env.at("MIB"), "100");
  EXPECT_EQ(env.at("NODE"), "1073741824");
}

TEST(Environment, LaterVariablesSeeEarlierOnes) {
  const auto env = Resolve(R"(
env:
- {name: A, value: one}
- {name: B, value: "$(A) $$(A) $(C) $ $(A"}
)");
  EXPECT_EQ(env.at("B"), "one $(A) $(C) $ $(A");
}

TEST(KnownProgram, AreFoundByImageAndCommand) {
  const std::vector<KnownProgram> known{{"gpu-scheduler-check", "", {"/bin/check"}},
                                        {"busybox", "sleep", {"/bin/sleep"}}};
  const Variables env{{"T", "5"}};
  using Argv = std::vector<std::string>;
  EXPECT_EQ(CommandFor(Parse("{image: 'r:5000/x/gpu-scheduler-check:1@sha256:a', args: [--once]}"),
                       known, env),
            (Argv{"/bin/check", "--once"}));
  EXPECT_EQ(CommandFor(Parse("{image: busybox, command: [/bin/sleep], args: [$(T)]}"), known, env),
            (Argv{"/bin/sleep", "5"}));
  EXPECT_EQ(CommandFor(Parse("{image: busybox, args: [sleep, '5']}"), known, env),
            (Argv{"/bin/sleep", "5"}));
  EXPECT_EQ(CommandFor(Parse("{image: busybox, command: [rm, -rf, /]}"), known, env), std::nullopt);
  EXPECT_EQ(CommandFor(Parse("{image: nginx}"), known, env), std::nullopt);
  EXPECT_EQ(CommandFor(Parse("{image: gpu-scheduler-check, command: [sh]}"), known, env),
            std::nullopt);
}

}  // namespace
}  // namespace gs::localcluster
