import time  # SPDX-License-Identifier: MIT


@profile
def blur(data):
    out = bytes(reversed(data))
    time.sleep(0.05)
    return out


@profile
def decode(i):
    data = bytes([i % 256]) * 30_000_000
    time.sleep(0.05)
    return data


@profile
def main():
    for i in range(10):
        blur(decode(i))


if __name__ == "__main__":
    main()
