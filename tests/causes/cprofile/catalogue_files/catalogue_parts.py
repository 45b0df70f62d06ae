def article(n):
    words = ["steel", "oak", "brass", "linen", "wool", "glass"]
    return {"name": f"{words[n % 6]}-{n}", "price": n * 1.3,
            "text": " ".join(words[(n * k) % 6] for k in range(1, 45))}


def wrap(text, width):
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


def page(a, lines):
    body = "\n".join(l.ljust(34) for l in lines)
    return f"{a['name']:<20}{a['price']:>10.2f}\n{body}"


def index(entries):
    seen = {}
    for name, at in sorted(entries):
        seen.setdefault(name[0], []).append(f"{name} {at}")
    return "\n".join(k + ": " + ", ".join(v) for k, v in seen.items())
