import datetime
import re

NAME = re.compile(r"backup-(\d{4}-\d\d-\d\d)\.tar")


def newest(folder, now):
    days = [m[1] for m in map(NAME.match, (p.name for p in folder.iterdir())) if m]
    return (now - datetime.datetime.fromisoformat(max(days))).total_seconds() // 3600
