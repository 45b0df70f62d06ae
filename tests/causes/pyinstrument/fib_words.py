def letters(n):  # SPDX-License-Identifier: MIT
    a, b = "a", "ab"
    for _ in range(n):
        a, b = b, b + a
    return b


def factors(word, k):
    return len({word[i:i + k] for i in range(len(word) - k + 1)})


def palindromes(word, k):
    return sum(word[i:i + k] == word[i:i + k][::-1] for i in range(len(word) - k + 1))


def profile(word, ks):
    return [(factors(word, k), palindromes(word, k)) for k in ks]


print(profile(letters(22), range(3, 43))[-1])
