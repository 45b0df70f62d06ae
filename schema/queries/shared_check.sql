-- Whether what goes to others as JSON is JSON; in a run file that came from elsewhere.
SELECT (SELECT coalesce(min(json_valid(v)), 1) FROM meta WHERE k GLOB 'header.*') AND
       (SELECT coalesce(min(json_valid(v)), 0) FROM meta WHERE k IN ('summary', 'shared')) AND
       (SELECT coalesce(min(json_valid(more)), 1) FROM measurement) AND
       (SELECT coalesce(min(json = '' OR json_valid(json)), 1) FROM device) AND
       (SELECT coalesce(min(json_valid(v)), 1) FROM meta WHERE k = 'label');
