-- The settings of PyTorch's allocator in a memory snapshot, as JSON.
SELECT v FROM meta WHERE k = 'header.allocator_settings'
