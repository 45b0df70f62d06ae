-- What a person wrote about a run, as in catalog.sql. A server of an older perfshelf that still runs inserts rows without it.

ALTER TABLE "run" ADD COLUMN IF NOT EXISTS note TEXT NOT NULL DEFAULT '';
ALTER TABLE deleted_run ADD COLUMN IF NOT EXISTS note TEXT NOT NULL DEFAULT '';
ALTER TABLE upload ADD COLUMN IF NOT EXISTS note TEXT NOT NULL DEFAULT '';
