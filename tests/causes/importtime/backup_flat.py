"""How old is the newest backup?"""
import argparse
import datetime
import json
import pathlib
import sys

from backup.age import newest

cli = argparse.ArgumentParser()
cli.add_argument("folder", type=pathlib.Path)
folder = cli.parse_args().folder
json.dump({"age_h": newest(folder, datetime.datetime.now())}, sys.stdout)
