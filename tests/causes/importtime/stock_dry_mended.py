"""Propose what to order again; --save writes it to the data base."""
import argparse
import json

from stock import rules

cli = argparse.ArgumentParser()
cli.add_argument("--save", action="store_true")
args = cli.parse_args()
proposal = rules.propose(json.load(open("levels.json")))
if args.save:
    from stock import store
    store.save(proposal)
print(len(proposal), "articles")
