-- Threads on which XLA compiles code: their tracks.
SELECT id FROM track WHERE name LIKE '%xla-cpu-codegen%' OR name LIKE '%CompilerThreadPool%';
