# SPDX-License-Identifier: MIT
# file: form/__init__.py
# file: form/fields.py
from marshmallow import Schema, fields
class Person(Schema):
    name = fields.Str()
    age = fields.Int()
class Team(Schema):
    people = fields.List(fields.Nested(Person))
# file: form/web.py
from flask import Flask
from form.fields import Team
app = Flask("form")
@app.get("/")
def index():
    return Team().dump({"people": [{"name": "x", "age": 3}]})
# file: main.py
from form.web import app
print(app.test_client().get("/").json)
