import json, re, collections
WORD = re.compile(r"[a-z]+")
def read(n): return [json.dumps({"id": i, "text": f"alpha beta gamma {i} delta epsilon " * 3, "tag": f"t{i % 50}"}) for i in range(n)]
def parse(lines): return [json.loads(line) for line in lines]
def tokens(docs): return [WORD.findall(d["text"]) for d in docs]
def count(docs): return collections.Counter(w for d in docs for w in d)
def group(docs):
    out = collections.defaultdict(list)
    for d in docs: out[d["tag"]].append(d["id"])
    return out
def write(groups): return "\n".join(f"{k}: {','.join(map(str, v))}" for k, v in sorted(groups.items()))
def main():
    lines = read(14000); docs = parse(lines); print(len(count(tokens(docs))), len(write(group(docs))))
main()
