#!/usr/bin/env python3
"""Makes what a NATS server with an operator needs: make_credentials.py FOLDER.

FOLDER gets `operator.conf`, to be included by the server's configuration, `user.creds` of a user who may do
everything, and `stranger.creds` of a user whose account signs for another operator. Keys are made by `openssl`.
"""

import base64
import json
import pathlib
import subprocess
import sys
import time

# The first letter of a key says whose it is.
OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3


def crc16(data: bytes) -> bytes:
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value.to_bytes(2, "little")


def base32(data: bytes) -> str:
    return base64.b32encode(data + crc16(data)).decode().rstrip("=")


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    """A pair of keys in the form of NATS."""

    def __init__(self, file: pathlib.Path, owner: int) -> None:
        self.file = file
        openssl("genpkey", "-algorithm", "ed25519", "-out", str(file))
        public = openssl("pkey", "-in", str(file), "-pubout", "-outform", "DER")[-32:]
        secret = openssl("pkey", "-in", str(file), "-outform", "DER")[-32:]
        self.public = base32(bytes([owner]) + public)
        self.seed = base32(bytes([SEED | owner >> 5, (owner & 31) << 3]) + secret)

    def sign(self, name: str, subject: "Key", claims: dict) -> str:
        body = {"jti": name, "iat": int(time.time()), "iss": self.public, "name": name, "sub": subject.public,
                "nats": {"version": 2} | claims}
        text = ".".join(base64url(json.dumps(part).encode())
                        for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, body))
        signed = self.file.with_suffix(".text")
        signed.write_text(text)
        return text + "." + base64url(
            openssl("pkeyutl", "-sign", "-inkey", str(self.file), "-rawin", "-in", str(signed)))


def openssl(*words: str) -> bytes:
    return subprocess.run(["openssl", *words], check=True, stdout=subprocess.PIPE).stdout


def credentials(account: Key, user: Key) -> str:
    limits = {"subs": -1, "data": -1, "payload": -1}
    token = account.sign("user", user, {"type": "user", "pub": {}, "sub": {}} | limits)
    return (f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")


def account_claims(more: dict) -> dict:
    limits = {name: -1 for name in ("subs", "data", "payload", "imports", "exports", "conn", "leaf")}
    return {"type": "account", "limits": limits | {"wildcards": True} | more,
            "default_permissions": {"pub": {}, "sub": {}}}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    operator = Key(folder / "operator.key", OPERATOR)
    account, system, stranger = (Key(folder / f"{name}.key", ACCOUNT) for name in ("account", "system", "stranger"))
    user = Key(folder / "user.key", USER)
    stores = {name: -1 for name in ("mem_storage", "disk_storage", "streams", "consumer")}
    known = "\n".join(f"  {one.public}: {operator.sign(one.file.stem, one, account_claims(more))}"
                      for one, more in ((account, stores), (system, {})))
    # Without an account of its own, which stores nothing, the server has no JetStream.
    (folder / "operator.conf").write_text(
        f"operator: {operator.sign('operator', operator, {'type': 'operator'})}\n"
        f"system_account: {system.public}\nresolver: MEMORY\nresolver_preload: {{\n{known}\n}}\n")
    (folder / "user.creds").write_text(credentials(account, user))
    (folder / "stranger.creds").write_text(credentials(stranger, user))


main()
