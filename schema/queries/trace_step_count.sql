-- Number of steps.
SELECT count(*) FROM step;
