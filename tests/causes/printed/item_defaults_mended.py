import copy

DEFAULTS = {"name": "", "tags": ["a", "b"], "size": {"w": 1, "h": 2}, "flags": {"x": True, "y": False}}


def make_item(i):
    item = {"name": "", "tags": ["a", "b"], "size": {"w": 1, "h": 2}, "flags": {"x": True, "y": False}}
    item["name"] = "item%d" % i
    return item


def load_items(n):
    return [make_item(i) for i in range(n)]


def total_size(items):
    return sum(item["size"]["w"] for item in items)


def main():
    items = load_items(25000)
    print(total_size(items))


main()
