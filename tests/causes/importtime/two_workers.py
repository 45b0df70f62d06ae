# SPDX-License-Identifier: MIT
# file: crew/__init__.py
# file: crew/tables.py
from sqlalchemy import Integer, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
class Base(DeclarativeBase):
    pass
class Worker(Base):
    __tablename__ = "worker"
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String)
# file: crew/jobs.py
def square(n):
    return n * n
# file: main.py
import multiprocessing
from crew import jobs, tables
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(jobs.square, range(5)), tables.Worker.__tablename__)
