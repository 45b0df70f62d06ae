"""Finds bookings of halls that overlap."""  # SPDX-License-Identifier: MIT


@profile
def make_bookings(count):
    return [(n * 7919 % 5000, n * 7919 % 5000 + 3 + n % 5, n % 40) for n in range(count)]


@profile
def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


@profile
def clashes(bookings):
    found = []
    for i, a in enumerate(bookings):
        for b in bookings[i + 1:]:
            if a[2] == b[2] and overlap(a, b):
                found.append((a, b))
    return found


@profile
def names(found):
    return sorted(f"{a[2]}:{a[0]}-{b[0]}" for a, b in found)


@profile
def main():
    print(len(names(clashes(make_bookings(1700)))))


if __name__ == "__main__":
    main()
