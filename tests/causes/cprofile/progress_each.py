import sys, io
def bar(done, total): return "\r[" + "".join("#" if i * total < done * 60 else "." for i in range(60)) + f"] {100 * done / total:5.1f} %"
def show(out, done, total): out.write(bar(done, total)); out.flush()
def clean(record): return record.strip().lower().replace("_", " ")
def process(records, out):
    cleaned = []
    for i, record in enumerate(records):
        cleaned.append(clean(record)); show(out, i, len(records))
    return cleaned
def main(): print(len(process([f" Record_{i} " for i in range(40000)], io.StringIO())))
main()
