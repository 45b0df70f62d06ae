# SPDX-License-Identifier: MIT
"""Prints the orders of a shop with the names of their customers."""
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"))
    customer: Mapped[Customer] = relationship()


def fill(session, n):
    session.add_all([Customer(id=i, name=f"c{i}") for i in range(n)])
    session.add_all([Order(id=i, customer_id=i) for i in range(n)])
    session.commit()


def customer_name(order):
    return order.customer.name.title()


def listing(engine):
    with Session(engine) as session:
        return [customer_name(order) for order in session.scalars(select(Order))]


def main():
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session, 4000)
    print(len(listing(engine)))


if __name__ == "__main__":
    main()
