-- nn.Modules of a trace, parents before children; parent 0: outermost.
SELECT id, parent, name FROM module ORDER BY id;
