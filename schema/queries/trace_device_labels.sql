-- The labels and names of the processes of a trace that have streams of devices: "GPU 0", "/device:TPU:0".
SELECT DISTINCT p.labels, p.name FROM process p JOIN track t ON t.process = p.id
WHERE t.kind = :stream;
