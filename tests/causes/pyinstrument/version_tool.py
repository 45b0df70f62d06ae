import sqlalchemy  # SPDX-License-Identifier: MIT
import sqlalchemy.orm
def parts(text):
    return tuple(int(p) for p in text.split(".") if p.isdigit())
def main():
    print(parts(sqlalchemy.__version__))
main()
