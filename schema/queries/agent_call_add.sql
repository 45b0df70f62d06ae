-- Records a call of a tool by an AI agent.
INSERT INTO agent_call(at, tool, run, who, code, text, seconds) VALUES (:at, :tool, :run, :who, :code, :text, :seconds);
