-- The tree of the stacks of a memory snapshot, by id.
SELECT id, parent, frame, shown FROM snapshot_stack ORDER BY id
