-- Parts of steps for the heat map of ranks: of TraceLens' definition (2), and the DataLoader of TensorBoard's (0).
SELECT step, definition, name, ns FROM step_part
WHERE definition = 2 AND name IN ('computation', 'exposed communication') OR definition = 0 AND name = 'dataloader';
