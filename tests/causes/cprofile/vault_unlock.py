"""Unlock the vault with the pass phrase and list the entries."""
import base64
import hashlib
import hmac
import json


class Vault:
    ROUNDS = 3_000_000

    def __init__(self, salt):
        self.salt = salt
        self.entries = []

    def unlock(self, phrase):
        key = hashlib.pbkdf2_hmac("sha256", phrase.encode(), self.salt, self.ROUNDS)
        return hmac.new(key, b"vault", "sha256").digest()

    def load(self, blob):
        self.entries = json.loads(base64.b64decode(blob))


def main():
    vault = Vault(b"\x01" * 16)
    tag = vault.unlock("correct horse battery staple")
    blob = base64.b64encode(json.dumps([{"site": f"s{i}"} for i in range(500)]).encode())
    vault.load(blob)
    print(tag.hex()[:8], len(vault.entries))


main()
