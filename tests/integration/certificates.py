"""Certificates made by the openssl program while a test runs, in the test's own folder."""

import subprocess

_NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


class Certificates:
    """Files NAME.pem and NAME.key in `folder`."""

    def __init__(self, folder):
        self.folder = folder

    def _openssl(self, *arguments):
        done = subprocess.run(["openssl", *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"openssl {arguments}: {done.stderr}")

    def authority(self, name):
        self._openssl("req", "-x509", *_NEW_KEY, "-days", 1, "-subj", "/CN=" + name,
                      "-keyout", name + ".key", "-out", name + ".pem")
        return str(self.folder / (name + ".pem"))

    def signed(self, name, authority):
        """The paths of certificate and key."""
        self._openssl("req", "-new", *_NEW_KEY, "-subj", "/CN=" + name,
                      "-keyout", name + ".key", "-out", name + ".csr")
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n", encoding="utf-8")
        self._openssl("x509", "-req", "-in", name + ".csr", "-CA", authority + ".pem",
                      "-CAkey", authority + ".key", "-CAcreateserial", "-days", 1, "-extfile", "names",
                      "-out", name + ".pem")
        return str(self.folder / (name + ".pem")), str(self.folder / (name + ".key"))
