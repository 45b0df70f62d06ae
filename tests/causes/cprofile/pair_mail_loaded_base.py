import datetime  # SPDX-License-Identifier: MIT
import email
import email.policy
import html
import random
import string
import textwrap
from email.message import EmailMessage

MESSAGES = 60


def make_body(rng):
    return "\n".join(" ".join("".join(rng.choice(string.ascii_lowercase) for _ in range(rng.randrange(2, 9))) for _ in range(14)) for _ in range(10))


def make_message(number):
    rng = random.Random(number)
    message = EmailMessage()
    message["From"] = f"user{number % 17}@example.org"
    message["To"] = f"team{number % 5}@example.org"
    message["Date"] = datetime.datetime(2026, 1, 1 + number % 28, tzinfo=datetime.timezone.utc)
    message["Subject"] = f"Report {number}"
    message.set_content(make_body(rng))
    return message.as_string()


def read_message(text):
    return email.message_from_string(text, policy=email.policy.default)


def sender_of(message):
    return str(message["From"]).partition("@")[0]


def month_of(message):
    return message["Date"].datetime.strftime("%Y-%m")


def wrap_body(text):
    return "\n".join(textwrap.fill(line, 60) for line in text.splitlines())


def quote_body(text):
    return "\n".join("> " + html.escape(line) for line in text.splitlines())


def count_letters(text):
    counts = {}
    for letter in text:
        if letter.isalpha():
            counts[letter] = counts.get(letter, 0) + 1
    return counts


def spam_score(counts):
    total = sum(counts.values())
    return sum(abs(counts.get(letter, 0) / total - 1 / 26) for letter in string.ascii_lowercase)


def reply_to(message, text):
    reply = EmailMessage()
    reply["To"] = str(message["From"])
    reply["Subject"] = "Re: " + str(message["Subject"])
    reply.set_content(text)
    return reply.as_bytes()


def main():
    sizes, months, scores = 0, {}, 0.0
    for number in range(MESSAGES):
        message = read_message(make_message(number))
        text = message.get_content()
        months[month_of(message)] = sender_of(message)
        scores += spam_score(count_letters(text))
        sizes += len(reply_to(message, quote_body(wrap_body(text))))
    print(sizes, months, round(scores, 2))


if __name__ == "__main__":
    main()
