"""Keys and certificates of one throw-away control plane, made by openssl. They are good for tests and nothing else."""

import subprocess
from pathlib import Path

from failures import Failed

DAYS = "30"
AUTHORITIES = ("ca", "front-proxy-ca")
NAMES = "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:127.0.0.1,IP:10.0.0.1"
# name: (authority, subject, extensions)
CLIENT = "extendedKeyUsage=clientAuth"
CERTIFICATES = {
    "apiserver": ("ca", "/CN=kube-apiserver", f"extendedKeyUsage=serverAuth\nsubjectAltName={NAMES}"),
    "admin": ("ca", "/O=system:masters/CN=admin", CLIENT),
    "kubelet-client": ("ca", "/O=system:masters/CN=kube-apiserver-kubelet-client", CLIENT),
    "kube-controller-manager": ("ca", "/CN=system:kube-controller-manager", CLIENT),
    "kube-scheduler": ("ca", "/CN=system:kube-scheduler", CLIENT),
    "front-proxy": ("front-proxy-ca", "/CN=front-proxy", CLIENT),
}


def openssl(*arguments: str, cwd: Path) -> None:
    try:
        done = subprocess.run(["openssl", *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Failed("openssl is not installed; on Debian: apt-get install openssl") from error
    if done.returncode != 0:
        raise Failed(f"openssl {' '.join(arguments)} failed:\n{done.stderr}")


def make_key(folder: Path, name: str) -> None:
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{name}.key", cwd=folder)


def make_authority(folder: Path, name: str) -> None:
    make_key(folder, name)
    openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-days", DAYS, "-out",
            f"{name}.crt", "-addext", "keyUsage=critical,keyCertSign,cRLSign", cwd=folder)


def make_certificate(folder: Path, name: str, authority: str, subject: str, extensions: str) -> None:
    make_key(folder, name)
    (folder / f"{name}.ext").write_text(f"keyUsage=critical,digitalSignature\n{extensions}\n", encoding="utf-8")
    openssl("req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr", cwd=folder)
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", DAYS, "-extfile", f"{name}.ext", "-out", f"{name}.crt", cwd=folder)


def make_all(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name in AUTHORITIES:
        make_authority(folder, name)
    for name, (authority, subject, extensions) in CERTIFICATES.items():
        make_certificate(folder, name, authority, subject, extensions)
    make_key(folder, "service-account")
    openssl("pkey", "-in", "service-account.key", "-pubout", "-out", "service-account.pub", cwd=folder)
