def read(n):
    return ["word%d" % ((i * i) % n) for i in range(n)]


class Vocabulary:
    def __init__(self):
        self.words = {}

    def add(self, word):
        if word not in self.words:
            self.words[word] = True

    def fill(self, words):
        for word in words:
            self.add(word)


def main():
    vocabulary = Vocabulary()
    vocabulary.fill(read(6000))
    print(len(vocabulary.words))


main()
