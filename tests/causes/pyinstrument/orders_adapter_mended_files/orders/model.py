import datetime
from decimal import Decimal
from typing import Literal, Optional

from pydantic import BaseModel, Field


class Line(BaseModel):
    article: str = Field(pattern=r"^[A-Z]\d+$")
    pieces: int = Field(gt=0)
    price: Decimal
    kind: Literal["stock", "custom", "gift"] = "stock"


class Discount(BaseModel):
    code: str
    percent: float = Field(ge=0, le=50)


class Order(BaseModel):
    number: str
    day: datetime.date
    lines: list[Line]
    discount: Optional[Discount] = None
