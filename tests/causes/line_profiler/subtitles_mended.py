class Track:  # SPDX-License-Identifier: MIT
    def __init__(self):
        self.text = ""
        self.cues = []

    @profile
    def add(self, start, line):
        number = len(self.cues) + 1
        self.cues.append((start, line))
        return number


@profile
def build(n):
    track = Track()
    for i in range(n):
        line = " ".join(["word"] * (i % 7 + 3))
        track.add(i * 1.5, line)
    track.text = "".join(f"{n + 1}\n{s}\n{l}\n\n" for n, (s, l) in reversed(list(enumerate(track.cues))))
    return track


print(len(build(6000).text))
