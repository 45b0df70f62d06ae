-- The segments of the device :device (id) at the end of a memory snapshot: address, bytes, stream, pool, large, expandable.
SELECT address, total, stream, pool, large, expandable FROM snapshot_segment WHERE device = :device ORDER BY id
