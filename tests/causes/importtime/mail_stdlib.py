# SPDX-License-Identifier: MIT
# file: mail/__init__.py
# file: mail/send.py
import smtplib
def send(host, text):
    with smtplib.SMTP(host) as server:
        server.sendmail("a@example.org", ["b@example.org"], text)
# file: mail/count.py
def count(text):
    return len(text.split())
# file: mail/cli.py
from mail import count, send
def main(host=None):
    print(count.count("one two three"))
    if host:
        send.send(host, "hello")
# file: main.py
from mail.cli import main
main()
