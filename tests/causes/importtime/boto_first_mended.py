# SPDX-License-Identifier: MIT
# file: depot/__init__.py
# file: depot/store.py

def upload(path, bucket):
    import boto3
    boto3.client("s3").upload_file(path, bucket, path)
# file: depot/web.py
from flask import Flask
from depot.store import upload
app = Flask("depot")
@app.get("/stock")
def stock():
    return {"parts": 3}
@app.post("/backup")
def backup():
    upload("stock.db", "backups")
    return {}
# file: main.py
from depot.web import app
print(app.test_client().get("/stock").json)
