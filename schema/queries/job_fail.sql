-- Sets the unfinished jobs of the crashed session :dead to failed, except jobs that an upload continues.
UPDATE job SET state = 'failed', view = json_set(view, '$.state', 'failed',
    '$.error', json_object('code', :code, 'text', :text, 'at', NULL, 'hint', :hint))
WHERE session = :dead AND state IN ('queued', 'running') AND id NOT IN (SELECT job FROM upload);
