-- Operators of the host in a range by self CPU time, without the marks of steps and the waits for data: with
-- :compile the phases of torch.compile, which torch writes as operators, else all others. The last column tells
-- whether it is a matrix product, a convolution or attention.
SELECT n.text, o.calls, o.self_cpu_ns, o.family IN (1, 10)
FROM ps_operators(:from, :to, 0) o JOIN text n ON n.id = o.name
WHERE o.kind = 1 AND (n.text LIKE '% (dynamo\_timed)' ESCAPE '\' OR n.text = 'dynamo') = :compile AND o.self_cpu_ns > 0
  AND n.text NOT LIKE 'ProfilerStep%' AND n.text NOT LIKE 'enumerate(DataLoader)%'
  AND n.text NOT LIKE 'Torch-Compiled Region:%' AND n.text NOT IN ('TorchDynamo Cache Lookup', 'Pregraph bytecode')
  AND n.text NOT LIKE '## Call CompiledFxGraph%'
ORDER BY o.self_cpu_ns DESC, n.text;
