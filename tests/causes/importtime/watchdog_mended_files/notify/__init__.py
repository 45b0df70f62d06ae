from .mail import by_mail
from .webhook import by_webhook


def send(topic, text):
    by_webhook(topic, text)
    by_mail(topic, text)
