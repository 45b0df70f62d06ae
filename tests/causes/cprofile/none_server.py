# SPDX-License-Identifier: MIT
import threading,queue,time
def producer(q):
    for i in range(20): time.sleep(.02); q.put(i)
    q.put(None)
def consume(q):
    n=0
    while (x:=q.get()) is not None: n+=x
    return n
def main():
    q=queue.Queue(); t=threading.Thread(target=producer,args=(q,)); t.start(); print(consume(q)); t.join()
main()
