-- names.sql: the tables of names.db, an index of the hottest names in the runs of a shelf (server/query/search). All of it is read from run files,
-- so a lost, damaged or outdated file is created again. After changing a table or what is stored in it, increment the number of the layout.
PRAGMA user_version = 3;

CREATE TABLE IF NOT EXISTS indexed_run( -- runs whose names are in the index
    seq INTEGER PRIMARY KEY,    -- run.seq of the catalog
    run TEXT NOT NULL,          -- run.id
    db_bytes INTEGER NOT NULL,  -- size of the run file: differs if the run was imported again
    unreadable INTEGER NOT NULL -- 1: its file could not be read, so it has no names here
);
DELETE FROM indexed_run WHERE unreadable; -- each opening tries these again: a newer perfshelf may read them, or they were restored

CREATE TABLE IF NOT EXISTS run_part( -- tables of a run by which runs are compared, such as its functions
    seq INTEGER NOT NULL,
    of TEXT NOT NULL,         -- functions, operators, kernels ...
    unit TEXT NOT NULL,
    whole REAL NOT NULL,      -- what shares are shares of
    PRIMARY KEY(seq, of)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS name( -- names, and sums over their rows in hot
    id INTEGER PRIMARY KEY,
    of TEXT NOT NULL,
    name TEXT NOT NULL,
    module TEXT NOT NULL,     -- module of a function, file name of a line; '': none or unknown
    text TEXT NOT NULL,       -- what searches match: json.loads
    runs INTEGER NOT NULL,
    self_share REAL NOT NULL, -- the greatest of all runs
    total_share REAL NOT NULL,
    hottest INTEGER NOT NULL, -- seq of the run with the greatest share
    UNIQUE(of, name, module)
);

CREATE TABLE IF NOT EXISTS place( -- names and places of rows as the tables of runs have them
    id INTEGER PRIMARY KEY,
    row TEXT NOT NULL, place TEXT NOT NULL,
    UNIQUE(row, place)
);

CREATE TABLE IF NOT EXISTS hot( -- the hottest names of each run
    name INTEGER NOT NULL,    -- name.id
    seq INTEGER NOT NULL,
    self REAL NOT NULL,
    total REAL,               -- NULL: the table has no total besides self
    self_share REAL NOT NULL, total_share REAL NOT NULL,
    place INTEGER NOT NULL,   -- place.id of its hottest row
    row_id INTEGER NOT NULL,  -- id of that row in the run; 0: unknown
    line INTEGER NOT NULL,    -- 0: unknown
    rows INTEGER NOT NULL,    -- rows of the run that have the name and the module
    PRIMARY KEY(name, seq)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hot_seq ON hot(seq);
