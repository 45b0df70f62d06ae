-- Samples of all lines in percent of all samples: in Python, in native code and not running.
SELECT total(l.cpu_python_pct), total(l.cpu_native_pct), total(l.cpu_system_pct) FROM line l WHERE NOT l.of_function;
