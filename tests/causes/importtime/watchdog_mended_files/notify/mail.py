def by_mail(topic, text):
    import smtplib
    with smtplib.SMTP("localhost") as smtp:
        smtp.sendmail("watch@example.org", ["ops@example.org"], f"Subject: {topic}\n\n{text}")
