import threading, time, json  # SPDX-License-Identifier: MIT
def parse(n):
    for _ in range(300): json.loads(json.dumps(list(range(300))))
def load(n):
    time.sleep(0.05); parse(n)
def report():
    return sum(len(str(i)) for i in range(200000))
def main():
    ts=[threading.Thread(target=load,args=(i,)) for i in range(4)]
    for t in ts: t.start()
    report()
    for t in ts: t.join()
if __name__=="__main__": main()
