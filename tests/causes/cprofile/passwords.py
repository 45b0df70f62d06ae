import hashlib  # SPDX-License-Identifier: MIT
import secrets


def store(user, password):
    salt = secrets.token_bytes(16)
    return user, salt, hashlib.scrypt(password.encode(), salt=salt, n=2**13, r=8, p=1)


def register(names):
    return [store(n, n[::-1]) for n in names]


print(len(register([f"user{i}" for i in range(25)])))
