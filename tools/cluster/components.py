"""The command lines of a plane's components."""

from plane import Plane
from tool_table import BY_NAME


def etcd(plane: Plane) -> list[str]:
    """Nothing that must survive a power cut is in it, so it does not wait for the disk."""
    client = f"http://127.0.0.1:{plane.state.etcd_port}"
    peer = f"http://127.0.0.1:{plane.state.etcd_peer_port}"
    return ["--name=etcd", f"--data-dir={plane.folder}/etcd", f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=etcd={peer}", "--unsafe-no-fsync=true", "--quota-backend-bytes=8589934592"]


def kube_apiserver(plane: Plane) -> list[str]:
    """The plane's own arguments come last and win. Aggregator routing: webhooks of Services work without kube-proxy."""
    pki, port = plane.pki, plane.state.apiserver_port
    return [f"--etcd-servers=http://127.0.0.1:{plane.state.etcd_port}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--secure-port={port}", "--service-cluster-ip-range=10.0.0.0/16",
            "--endpoint-reconciler-type=none", "--authorization-mode=Node,RBAC", "--allow-privileged=true",
            f"--client-ca-file={pki}/ca.crt", f"--tls-cert-file={pki}/apiserver.crt",
            f"--tls-private-key-file={pki}/apiserver.key", f"--kubelet-client-certificate={pki}/kubelet-client.crt",
            f"--kubelet-client-key={pki}/kubelet-client.key", "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-key-file={pki}/service-account.pub",
            f"--service-account-signing-key-file={pki}/service-account.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--requestheader-client-ca-file={pki}/front-proxy-ca.crt", "--requestheader-allowed-names=front-proxy",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", f"--proxy-client-cert-file={pki}/front-proxy.crt",
            f"--proxy-client-key-file={pki}/front-proxy.key", "--enable-aggregator-routing=true",
            *plane.state.apiserver_arguments]


def kube_controller_manager(plane: Plane) -> list[str]:
    """Without these two, nodes that are only objects stay as they were made: Ready, and not annotated one by one for minutes."""
    controllers = "*" if plane.state.has_node_lifecycle else "*,-node-lifecycle-controller,-ttl-controller"
    return [f"--kubeconfig={plane.kubeconfig_of('kube-controller-manager')}", "--leader-elect=false", "--secure-port=0",
            f"--service-account-private-key-file={plane.pki}/service-account.key", f"--root-ca-file={plane.pki}/ca.crt",
            f"--cluster-signing-cert-file={plane.pki}/ca.crt", f"--cluster-signing-key-file={plane.pki}/ca.key",
            "--use-service-account-credentials=true", f"--controllers={controllers}"]


def kwok(plane: Plane) -> list[str]:
    """Without a lease duration it writes no leases, and the node lifecycle controller gives up on its nodes."""
    return [f"--kubeconfig={plane.kubeconfig}", f"--config={plane.folder}/kwok-stages.yaml", "--manage-all-nodes=true",
            "--cidr=10.244.0.0/16", "--node-ip=127.0.0.1", "--node-lease-duration-seconds=40"]


ARGUMENTS = {"etcd": etcd, "kube-apiserver": kube_apiserver, "kube-controller-manager": kube_controller_manager,
             "kwok": kwok}


def command_of(name: str, plane: Plane) -> list[str]:
    return [str(BY_NAME[name].path), *ARGUMENTS[name](plane)]
