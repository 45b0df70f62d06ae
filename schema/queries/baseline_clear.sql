-- The series :series has no baseline any more.
DELETE FROM baseline WHERE series = :series;
