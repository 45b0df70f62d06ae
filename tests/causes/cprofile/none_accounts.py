"""Makes the accounts of new users."""  # SPDX-License-Identifier: MIT
import hashlib
import os


def hash_password(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, n=2 ** 14, r=8, p=1)


def make_user(name):
    salt = os.urandom(16)
    return {"name": name, "salt": salt, "hash": hash_password(f"{name}-secret", salt)}


def make_users(names):
    return [make_user(name) for name in names]


if __name__ == "__main__":
    print(len(make_users([f"user{n}" for n in range(20)])))
