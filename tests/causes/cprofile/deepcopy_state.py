# SPDX-License-Identifier: MIT
import copy
def snapshot(state): return copy.deepcopy(state)
def step(state,i):
    old=snapshot(state); state["items"][i%100]+=1
    return old["n"]
def run():
    state={"n":0,"items":list(range(400)),"meta":{str(i):[i] for i in range(60)}}
    for i in range(2000): step(state,i)
run()
