-- Deletes all calls but the newest :kept.
DELETE FROM agent_call WHERE id <= (SELECT max(id) FROM agent_call) - :kept;
