import lxml.html  # SPDX-License-Identifier: MIT


def page(n):
    rows = "".join(f"<tr><td class='n'>{i}</td><td><a href='/p/{i}'>p{i}</a></td></tr>" for i in range(n))
    return f"<html><body><table id='t'>{rows}</table></body></html>"


def names(tree):
    return [a.text for a in tree.xpath("//a")]


def links(tree):
    return [a.get("href") for a in tree.iter("a")]


def numbers(tree):
    return sum(int(td.text) for td in tree.xpath("//td[@class='n']"))


def one(n):
    text = page(n)
    tree = lxml.html.fromstring(text)
    return len(names(tree)), len(links(tree)), numbers(tree), len(lxml.html.tostring(tree))


for _ in range(25):
    last = one(4000)
print(last)
