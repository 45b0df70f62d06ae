def parse_value(text, at):
    if text[at] == "[":
        return parse_list(text, at + 1)
    end = at
    while text[end].isdigit():
        end += 1
    return int(text[at:end]), end


def parse_list(text, at):
    items = []
    while text[at] != "]":
        item, at = parse_value(text, at)
        items.append(item)
        if text[at] == ",":
            at += 1
    return items, at + 1


def main():
    text = "[" + ",".join(str(i) for i in range(30000)) + "]"
    for _ in range(4):
        items, _end = parse_list(text, 1)
    print(len(items))


main()
