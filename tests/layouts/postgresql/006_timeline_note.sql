-- Texts that users wrote at a time of a trace.

CREATE TABLE IF NOT EXISTS timeline_note( -- as in catalog.sql
    run TEXT NOT NULL, id TEXT NOT NULL,
    t_ns BIGINT NOT NULL, area TEXT NOT NULL, text TEXT NOT NULL, who TEXT NOT NULL, at BIGINT NOT NULL,
    tx BIGINT NOT NULL,
    PRIMARY KEY(run, id)
);
CREATE INDEX IF NOT EXISTS timeline_note_tx ON timeline_note(tx);
