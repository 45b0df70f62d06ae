-- Sums of the parts over the counted steps.
SELECT p.definition, p.name, CAST(total(p.ns) AS INTEGER) FROM step_part p JOIN step s ON s.id = p.step WHERE s.counted GROUP BY p.definition, p.name;
