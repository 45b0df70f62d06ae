"""Finds bookings of halls that overlap."""  # SPDX-License-Identifier: MIT


def make_bookings(count):
    return [(n * 7919 % 5000, n * 7919 % 5000 + 3 + n % 5, n % 40) for n in range(count)]


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


def clashes(bookings):
    found = []
    halls = {}
    for a in bookings:
        halls.setdefault(a[2], []).append(a)
    for hall in halls.values():
        for i, a in enumerate(hall):
            for b in hall[i + 1:]:
                if overlap(a, b):
                    found.append((a, b))
    return found


def names(found):
    return sorted(f"{a[2]}:{a[0]}-{b[0]}" for a, b in found)


def main():
    print(len(names(clashes(make_bookings(1700)))))


if __name__ == "__main__":
    main()
