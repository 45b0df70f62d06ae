@profile  # SPDX-License-Identifier: MIT
def convert(path):
    with open(path, "rb") as file:
        data = file.read()
    text = data.decode()
    words = text.split()
    count = len(words)
    del words, text, data
    return count
@profile
def main():
    with open("words.txt", "w") as file:
        for i in range(200):
            file.write("apple pear plum " * 5_000)
    print(convert("words.txt"))
main()
