from sqlalchemy import Column, Integer, MetaData, String, Table, create_engine

meta = MetaData()
proposal = Table("proposal", meta, Column("article", String), Column("packs", Integer))


def save(rows, url="sqlite:///stock.db"):
    engine = create_engine(url)
    meta.create_all(engine)
    with engine.begin() as tx:
        tx.execute(proposal.insert(), [{"article": a, "packs": p} for a, p in rows.items()])
