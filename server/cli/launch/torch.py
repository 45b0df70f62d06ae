# SPDX-License-Identifier: MIT
from torch.profiler import profile

out, code, names = program()
recorder = profile(record_shapes=True, profile_memory=True, with_stack=True)  # on every device that there is
recorder.start()
try:
    run(code, names)
finally:
    recorder.stop()
    recorder.export_chrome_trace(out)
