import re  # SPDX-License-Identifier: MIT
TERMS = [f"term{i}x" for i in range(700)]
def link_terms(text):
    for term in TERMS:
        text = re.sub(rf"[(]{term}[)]", f"<a>{term}</a>", text)
    return text
def headline(text):
    return text.split(".")[0].title()
def pages():
    return [" ".join(f"word{i * k % 313} (term{k % 700}x)." for k in range(60)) for i in range(16)]
def main():
    for page in pages():
        headline(link_terms(page))
main()
