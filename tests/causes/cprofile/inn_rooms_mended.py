import re  # SPDX-License-Identifier: MIT
GUESTS = [f"Room {i % 90}: guest-{i} (nights: {i % 9})" for i in range(60000)]
PATTERN = re.compile(r"Room (\d+): (guest-\d+) \(nights: (\d+)\)")
def nights(line):
    return int(PATTERN.match(line).group(3))
def bill(lines):
    return sum(nights(line) for line in lines)
print(bill(GUESTS))
