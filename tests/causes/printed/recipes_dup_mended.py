def bigrams(text):  # SPDX-License-Identifier: MIT
    return {text[i:i + 2] for i in range(len(text) - 1)}
def similar(a, b):
    x, y = bigrams(a), bigrams(b)
    return len(x & y) / len(x | y)
def duplicates(titles):
    found, sets = [], [bigrams(t) for t in titles]
    for i, a in enumerate(titles):
        for k, b in enumerate(titles[:i]):
            if len(sets[i] & sets[k]) / len(sets[i] | sets[k]) > 0.9:
                found.append((a, b))
    return found
def titles(n):
    return [f"soup number {i * i} with {['rice', 'peas', 'corn'][i % 3]} and salt" for i in range(n)]
def main():
    print(len(duplicates(titles(450))))
main()
