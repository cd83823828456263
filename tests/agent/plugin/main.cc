// A device plugin for tests: tells a real kubelet of devices that are not there, so that it gives
// them away. gs-fake-device-plugin FOLDER RESOURCE ID...; FOLDER has the kubelet's socket.
#include <device_plugin.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr const char* kEndpoint = "fake.sock";

class Plugin final : public v1beta1::DevicePlugin::Service {
 public:
  explicit Plugin(std::vector<std::string> ids) : ids_(std::move(ids)) {}

  grpc::Status GetDevicePluginOptions(grpc::ServerContext*, const v1beta1::Empty*,
                                      v1beta1::DevicePluginOptions*) override {
    return grpc::Status::OK;
  }
  // The list never changes; its end would be the end of the devices.
  grpc::Status ListAndWatch(grpc::ServerContext* context, const v1beta1::Empty*,
                            grpc::ServerWriter<v1beta1::ListAndWatchResponse>* writer) override {
    v1beta1::ListAndWatchResponse list;
    for (const std::string& id : ids_) {
      auto* device = list.add_devices();
      device->set_id(id);
      device->set_health("Healthy");
    }
    writer->Write(list);
    while (!context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext*, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* answer) override {
    for (int i = 0; i < request->container_requests_size(); ++i) answer->add_container_responses();
    return grpc::Status::OK;
  }

 private:
  const std::vector<std::string> ids_;
};

bool Register(const std::string& folder, const std::string& resource) {
  const auto kubelet = v1beta1::Registration::NewStub(
      grpc::CreateChannel("unix:" + folder + "/kubelet.sock", grpc::InsecureChannelCredentials()));
  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(kEndpoint);
  request.set_resource_name(resource);
  grpc::ClientContext context;
  v1beta1::Empty answer;
  const grpc::Status status = kubelet->Register(&context, request, &answer);
  if (!status.ok()) std::cerr << "the kubelet refused: " << status.error_message() << "\n";
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (args.size() < 3) {
    std::cerr << "gs-fake-device-plugin FOLDER RESOURCE ID...\n";
    return 2;
  }
  Plugin plugin({args.begin() + 2, args.end()});
  const std::string socket = args[0] + "/" + kEndpoint;
  unlink(socket.c_str());
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
  builder.RegisterService(&plugin);
  const auto server = builder.BuildAndStart();
  if (server == nullptr || !Register(args[0], args[1])) return 1;
  server->Wait();
  return 0;
}
