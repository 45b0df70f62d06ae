# SPDX-License-Identifier: MIT
# file: shop/__init__.py
# file: shop/models.py
from pydantic import BaseModel
class Item(BaseModel):
    name: str
    price: float
# file: shop/api.py
from fastapi import FastAPI
from shop.models import Item
app = FastAPI()
@app.post("/items")
def add(item: Item):
    return item
# file: main.py
from shop.api import app
print(len(app.routes))
