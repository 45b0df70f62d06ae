-- The blocks in use on the device :device (id) at the end of a memory snapshot: address, bytes.
SELECT b.address, b.bytes FROM snapshot_block b CROSS JOIN snapshot_segment s ON s.id = b.segment WHERE s.device = :device AND b.state <> 2
