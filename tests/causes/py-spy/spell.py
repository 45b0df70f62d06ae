"""Spell check of a text against the word list of the house."""
from spell_words import load_words, sentences


class Checker:
    def __init__(self, words):
        self.words = words

    def known(self, word):
        return word in self.words

    def unknown(self, sentence):
        return [w for w in sentence.lower().split() if not self.known(w)]


def main():
    checker = Checker(load_words())
    wrong = 0
    for s in sentences(30000):
        wrong += len(checker.unknown(s))
    print(wrong)


main()
