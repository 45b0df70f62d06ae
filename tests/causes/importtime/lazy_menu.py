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
import sqlalchemy
import jinja2
@click.command()
def serve():
    print(sqlalchemy.__version__, jinja2.__version__)
# file: main.py
from cafe.cli import cli
cli(["--help"])
