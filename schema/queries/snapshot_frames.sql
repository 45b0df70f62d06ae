-- The frames of the stacks of a memory snapshot, by id.
SELECT id, name, file, line, hidden FROM snapshot_frame ORDER BY id
