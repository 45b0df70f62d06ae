"""Propose what to order again; --save writes it to the data base."""
import argparse
import json

from stock import rules, store

cli = argparse.ArgumentParser()
cli.add_argument("--save", action="store_true")
args = cli.parse_args()
proposal = rules.propose(json.load(open("levels.json")))
if args.save:
    store.save(proposal)
print(len(proposal), "articles")
