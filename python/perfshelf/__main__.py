# SPDX-License-Identifier: MIT
"""`python -m perfshelf` is the program itself: it replaces this process."""
from __future__ import annotations

import os
import sys

from .shelf import Error, find_program


def main() -> None:
    try:
        program = find_program()
        os.execv(program, ["perfshelf"] + sys.argv[1:])
    except (Error, OSError) as error:
        sys.exit("perfshelf: %s" % error)


if __name__ == "__main__":
    main()
