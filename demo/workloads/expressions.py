# SPDX-License-Identifier: MIT
"""A recursive-descent calculator: direct and mutual recursion, many small classes."""
import random


class Node:
    pass


class Number(Node):
    def __init__(self, value):
        self.value = value

    def evaluate(self, names):
        return self.value

    def simplify(self):
        return self


class Name(Node):
    def __init__(self, name):
        self.name = name

    def evaluate(self, names):
        return names[self.name]

    def simplify(self):
        return self


class Pair(Node):
    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right

    def evaluate(self, names):
        left, right = self.left.evaluate(names), self.right.evaluate(names)
        if self.sign == "+":
            return left + right
        if self.sign == "-":
            return left - right
        return left * right

    def simplify(self):
        left, right = self.left.simplify(), self.right.simplify()
        if isinstance(left, Number) and isinstance(right, Number):
            return Number(Pair(self.sign, left, right).evaluate({}))
        return Pair(self.sign, left, right)


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def total(self):
        node = self.product()
        while self.peek() in ("+", "-"):
            node = Pair(self.take(), node, self.product())
        return node

    def product(self):
        node = self.atom()
        while self.peek() == "*":
            node = Pair(self.take(), node, self.atom())
        return node

    def atom(self):
        if self.peek() == "(":
            self.take()
            node = self.total()
            self.take()
            return node
        word = self.take()
        return Number(int(word)) if word.isdigit() else Name(word)


def tokens_of(text):
    for sign in "()+-*":
        text = text.replace(sign, f" {sign} ")
    return text.split()


def expression(chance, depth):
    if depth == 0:
        return chance.choice(["x", "y", str(chance.randrange(100))])
    left, right = expression(chance, depth - 1), expression(chance, depth - 1)
    return f"({left} {chance.choice('+-*')} {right})"


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def is_even(n):
    return n == 0 or is_odd(n - 1)


def is_odd(n):
    return n != 0 and is_even(n - 1)


def main():
    chance = random.Random(7)
    total = 0
    for _ in range(60):
        node = Parser(expression(chance, 8)).total()
        total += node.evaluate({"x": 2, "y": 3}) + node.simplify().evaluate({"x": 2, "y": 3})
    print(total % 1000, fibonacci(18), is_even(400))


main()
