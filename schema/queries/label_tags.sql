INSERT INTO tag(run, k, v) SELECT :id, value ->> 0, value ->> 1 FROM json_each(:label, '$.tags') WHERE true
ON CONFLICT(run, k) DO UPDATE SET v = excluded.v;
