# SPDX-License-Identifier: MIT
import hashlib
def hash_password(p): return hashlib.pbkdf2_hmac("sha256",p,b"salt",150000)
def main():
    for u in (b"a",b"b",b"c"): hash_password(u)
main()
