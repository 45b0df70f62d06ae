# SPDX-License-Identifier: MIT
import dataclasses,json
def plain(s): return {'name':s.name,'points':[{'x':p.x,'y':p.y,'tags':p.tags} for p in s.points]}
@dataclasses.dataclass
class Point: x:int;y:int;tags:list
@dataclasses.dataclass
class Shape: name:str;points:list
def to_json(shape): return json.dumps(plain(shape))
def export(shapes): return [to_json(s) for s in shapes]
def main():
    shapes=[Shape(f"s{i}",[Point(j,j,["a","b"]) for j in range(20)]) for i in range(2500)]
    print(len(export(shapes)))
main()
