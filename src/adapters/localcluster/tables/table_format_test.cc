#include "adapters/localcluster/tables/table_format.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>

namespace gs::localcluster {
namespace {

const TimePoint kNow = ParseTime("2024-05-01T12:00:00Z").value();

// The cells of an object of that kind, which is called "n" and is an hour old.
std::string Cells(const std::string& kind, const std::string& fields) {
  const auto object =
      boost::json::parse(R"({"metadata":{"name":"n","creationTimestamp":"2024-05-01T11:00:00Z"})" +
                         (fields.empty() ? "" : "," + fields) + "}");
  const auto format = TableFormat::OfBuiltIn(kind);
  const auto row = format.Row(object.get_object(), IncludeObject::kNone, kNow);
  EXPECT_EQ(row.at("cells").as_array().size(), format.Columns().size()) << kind;
  return boost::json::serialize(row.at("cells"));
}

TEST(TableFormat, Nodes) {
  EXPECT_EQ(Cells("Node", ""), R"(["n","Unknown","<none>","60m","","<none>","<none>","<unknown>",)"
                               R"("<unknown>","<unknown>"])");
  const auto object = boost::json::parse(R"({"metadata":{"name":"n","labels":
      {"node-role.kubernetes.io/control-plane":"","kubernetes.io/role":"gpu"}},
      "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
      "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
      "nodeInfo":{"kubeletVersion":"v1.36.4","kernelVersion":"6.1","architecture":"amd64"}}})");
  const auto row =
      TableFormat::OfBuiltIn("Node").Row(object.get_object(), IncludeObject::kNone, kNow);
  EXPECT_EQ(
      boost::json::serialize(row.at("cells")),
      R"(["n","Ready,SchedulingDisabled","control-plane,gpu","<unknown>","v1.36.4","10.0.0.1",)"
      R"x("<none>","<unknown>","6.1 (amd64)","<unknown>"])x");
}

TEST(TableFormat, Workloads) {
  const std::string spec = R"("spec":{"replicas":3,"selector":{"matchLabels":{"app":"w"}},
      "template":{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]}}})";
  EXPECT_EQ(Cells("Deployment", spec + R"(,"status":{"readyReplicas":1,"updatedReplicas":2})"),
            R"(["n","1/3",2,0,"60m","a,b","x,y","app=w"])");
  EXPECT_EQ(Cells("StatefulSet", spec), R"(["n","0/3","60m","a,b","x,y"])");
  EXPECT_EQ(Cells("ReplicaSet", spec + R"(,"status":{"replicas":3})"),
            R"(["n",3,3,0,"60m","a,b","x,y","app=w"])");
  EXPECT_EQ(Cells("DaemonSet", R"("status":{"desiredNumberScheduled":4})"),
            R"(["n",4,0,0,0,0,"<none>","60m","","","<none>"])");
}

TEST(TableFormat, Jobs) {
  EXPECT_EQ(Cells("Job", R"("spec":{"completions":2},"status":{"succeeded":1,
                         "startTime":"2024-05-01T11:59:00Z"})"),
            R"(["n","Running","1/2","60s","60m","","","<none>"])");
  EXPECT_EQ(Cells("Job", R"("spec":{"parallelism":3},"status":{"conditions":[
                         {"type":"Complete","status":"True"}]})"),
            R"(["n","Complete","0/1 of 3","","60m","","","<none>"])");
}

TEST(TableFormat, Services) {
  EXPECT_EQ(Cells("Service", R"("spec":{"type":"ClusterIP","clusterIPs":["10.0.0.1"],
                             "selector":{"b":"2","a":"1"},
                             "ports":[{"port":80,"protocol":"TCP"},
                                      {"port":443,"nodePort":30443,"protocol":"TCP"}]})"),
            R"(["n","ClusterIP","10.0.0.1","<none>","80/TCP,443:30443/TCP","60m","a=1,b=2"])");
  EXPECT_EQ(Cells("Service", R"("spec":{"type":"LoadBalancer"})"),
            R"(["n","LoadBalancer","<none>","<pending>","<none>","60m","<none>"])");
  EXPECT_EQ(Cells("Endpoints", R"("subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}],
                               "ports":[{"port":80},{"port":81}]}])"),
            R"(["n","1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 1 more...","60m"])");
  EXPECT_EQ(Cells("Endpoints", ""), R"(["n","<none>","60m"])");
}

TEST(TableFormat, Events) {
  EXPECT_EQ(
      Cells("Event", R"("type":"Warning","reason":"FailedScheduling","message":"no room\n",
                           "involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec"},
                           "source":{"component":"gpu-scheduler"},"count":3,
                           "firstTimestamp":"2024-05-01T11:58:00Z",
                           "lastTimestamp":"2024-05-01T11:59:30Z")"),
      R"(["30s","Warning","FailedScheduling","pod/p","spec","gpu-scheduler","no room","2m",3,"n"])");
  EXPECT_EQ(Cells("Event", R"("eventTime":"2024-05-01T11:59:00.000000Z","reportingComponent":"c",
                           "reportingInstance":"h","involvedObject":{"kind":"Node"})"),
            R"(["60s","","","node","","c, h","","60s",1,"n"])");
}

TEST(TableFormat, Volumes) {
  EXPECT_EQ(Cells("PersistentVolume", R"("spec":{"capacity":{"storage":"1024Mi"},
      "accessModes":["ReadWriteMany","ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
      "claimRef":{"namespace":"a","name":"b"},"storageClassName":"s"},"status":{"phase":"Bound"})"),
            R"(["n","1Gi","RWO,RWX","Retain","Bound","a/b","s","<unset>","","60m","<unset>"])");
  EXPECT_EQ(Cells("PersistentVolumeClaim", R"("status":{"phase":"Pending"})"),
            R"(["n","Pending","","","","","<unset>","60m","<unset>"])");
}

TEST(TableFormat, SmallKinds) {
  EXPECT_EQ(Cells("Namespace", R"("status":{"phase":"Active"})"), R"(["n","Active","60m"])");
  EXPECT_EQ(Cells("ConfigMap", R"("data":{"a":"1"},"binaryData":{"b":"2"})"), R"(["n",2,"60m"])");
  EXPECT_EQ(Cells("Secret", R"("type":"Opaque","data":{"a":"1"})"), R"(["n","Opaque",1,"60m"])");
  EXPECT_EQ(Cells("ServiceAccount", ""), R"(["n","60m"])");
  EXPECT_EQ(Cells("Lease", R"("spec":{"holderIdentity":"me"})"), R"(["n","me","60m"])");
  EXPECT_EQ(Cells("PriorityClass", R"("value":7,"preemptionPolicy":"Never")"),
            R"(["n",7,false,"60m","Never"])");
  EXPECT_EQ(Cells("StorageClass", R"("provisioner":"p")"),
            R"(["n","p","Delete","Immediate",false,"60m"])");
  EXPECT_EQ(Cells("PodDisruptionBudget", R"("spec":{"minAvailable":"50%"})"),
            R"(["n","50%","N/A",0,"60m"])");
  EXPECT_EQ(Cells("RoleBinding", R"("roleRef":{"kind":"Role","name":"r"},"subjects":[
                  {"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s","namespace":"a"}])"),
            R"(["n","Role/r","60m","u","","a/s"])");
  EXPECT_EQ(Cells("MutatingWebhookConfiguration", R"("webhooks":[{},{}])"), R"(["n",2,"60m"])");
  EXPECT_EQ(Cells("ClusterRole", ""), R"(["n","2024-05-01T11:00:00Z"])");
}

TEST(TableFormat, ColumnsOfCustomResources) {
  const auto columns = boost::json::parse(R"([
      {"name":"Req","type":"integer","jsonPath":".spec.count"},
      {"name":"Ids","type":"string","jsonPath":".status.ids"},
      {"name":"On","type":"boolean","jsonPath":".spec.on"},
      {"name":"Age","type":"date","priority":1,"jsonPath":".metadata.creationTimestamp"}])");
  const auto format = TableFormat::OfCustom(&columns);
  ASSERT_TRUE(format.ok()) << format.error();
  const auto object = boost::json::parse(
      R"({"metadata":{"name":"n","creationTimestamp":"2024-05-01T11:00:00Z"},
          "spec":{"count":4,"on":"no"},"status":{"ids":[0,1]}})");
  EXPECT_EQ(boost::json::serialize(
                format->Row(object.get_object(), IncludeObject::kNone, kNow).at("cells")),
            R"(["n",4,"[0,1]",null,"60m"])");
  EXPECT_EQ(format->Columns().at(4).at("priority"), 1);
  EXPECT_EQ(format->Columns().at(0).at("format"), "name");
}

TEST(TableFormat, CustomResourcesWithoutColumnsShowTheirAge) {
  const auto format = TableFormat::OfCustom(nullptr);
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format->Columns().size(), 2U);
  EXPECT_EQ(format->Columns().at(1).at("name"), "Age");
}

TEST(TableFormat, RefusesColumnsItCannotFollow) {
  const auto columns = boost::json::parse(R"([{"name":"X","type":"string","jsonPath":".a[1:2]"}])");
  EXPECT_EQ(TableFormat::OfCustom(&columns).error().message(),
            R"(unrecognized column definition ".a[1:2]")");
}

TEST(TableFormat, RowsCarryWhatIsAskedFor) {
  const auto pod = boost::json::parse(
      R"({"kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Succeeded"}})");
  const auto format = TableFormat::OfBuiltIn("Pod");
  const auto row = format.Row(pod.get_object(), IncludeObject::kMetadata, kNow);
  EXPECT_EQ(
      boost::json::serialize(row.at("object")),
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"p"}})");
  EXPECT_EQ(row.at("conditions").at(0).at("reason"), "Succeeded");
  EXPECT_EQ(format.Row(pod.get_object(), IncludeObject::kObject, kNow).at("object"), pod);
  EXPECT_TRUE(format.Row(pod.get_object(), IncludeObject::kNone, kNow).at("object").is_null());
}

TEST(TableFormat, MakesTables) {
  const auto table =
      MakeTable(TableFormat::OfBuiltIn("ServiceAccount"), {{"resourceVersion", "7"}}, {});
  EXPECT_EQ(table.at("kind"), "Table");
  EXPECT_EQ(table.at("metadata").at("resourceVersion"), "7");
  EXPECT_EQ(table.at("columnDefinitions").as_array().size(), 2U);
}

TEST(ParseIncludeObject, KnowsThreeWords) {
  EXPECT_EQ(ParseIncludeObject("").value(), IncludeObject::kMetadata);
  EXPECT_EQ(ParseIncludeObject("None").value(), IncludeObject::kNone);
  EXPECT_EQ(ParseIncludeObject("Object").value(), IncludeObject::kObject);
  EXPECT_FALSE(ParseIncludeObject("All").ok());
}

}  // namespace
}  // namespace gs::localcluster
