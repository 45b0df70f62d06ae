import os, tempfile, yaml
PATH = os.path.join(tempfile.gettempdir(), "settings-exam.yaml")
def write():
    with open(PATH, "w") as f: yaml.safe_dump({"limits": {f"team{i}": {"cpu": i, "mem": i * 2} for i in range(30)}}, f)
def load_settings():
    with open(PATH) as f: return yaml.safe_load(f)
def limit_for(team): return load_settings()["limits"][team]["cpu"]
def check(requests): return sum(limit_for(team) > cpu for team, cpu in requests)
def main():
    write(); print(check([(f"team{i % 30}", i % 40) for i in range(60)])); os.unlink(PATH)
main()
