-- Processes of `top` by mean CPU: name, samples, percent of one CPU; no total.
SELECT name, n, value, NULL, 'of one CPU' FROM measurement
WHERE unit = '%' AND value > 0 ORDER BY value DESC, id;
