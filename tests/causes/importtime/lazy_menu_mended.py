# SPDX-License-Identifier: MIT
# file: cafe/__init__.py
# file: cafe/cli.py
import click
from cafe import commands
@click.group()
def cli():
    pass
cli.add_command(commands.serve)
# file: cafe/commands.py
import click
@click.command()
def serve():
    import sqlalchemy, jinja2
    print(sqlalchemy.__version__, jinja2.__version__)
# file: main.py
from cafe.cli import cli
cli(["--help"])
