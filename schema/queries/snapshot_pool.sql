-- The parts of the id of a memory pool of a snapshot. :id
SELECT a, b FROM snapshot_pool WHERE id = :id
