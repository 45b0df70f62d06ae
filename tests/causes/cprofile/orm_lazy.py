from sqlalchemy import create_engine, ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, Session
class Base(DeclarativeBase): pass
class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    items: Mapped[list["Item"]] = relationship()
class Item(Base):
    __tablename__ = "items"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"))
    price: Mapped[float]
def order_value(order): return sum(item.price for item in order.items)
def report(session): return sum(order_value(order) for order in session.query(Order))
def fill(engine):
    with engine.begin() as c:
        c.execute(Order.__table__.insert(), [{"id": i} for i in range(600)])
        c.execute(Item.__table__.insert(), [{"id": i, "order_id": i % 600, "price": i} for i in range(1800)])
def main():
    engine = create_engine("sqlite://"); Base.metadata.create_all(engine); fill(engine)
    with Session(engine) as session: print(report(session))
main()
