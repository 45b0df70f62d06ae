# SPDX-License-Identifier: MIT
"""Stores accounts with hashed passwords."""
import hashlib


def secret_of(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 120_000)


def register(n):
    return {f"user{i}": secret_of(f"password{i}", bytes([i] * 16)) for i in range(n)}


if __name__ == "__main__":
    print(len(register(10)))
