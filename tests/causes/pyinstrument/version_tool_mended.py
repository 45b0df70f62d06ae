from importlib.metadata import version  # SPDX-License-Identifier: MIT
def parts(text):
    return tuple(int(p) for p in text.split(".") if p.isdigit())
def main():
    print(parts(version("sqlalchemy")))
main()
