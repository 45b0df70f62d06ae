"""Tide table: harmonic parts, moon, sun, and the layout of the page."""
import math


def semidiurnal(t):
    return sum(a * math.cos(w * t + p) for a, w, p in ((1.2, .5059, .3), (.4, .5236, 1.1), (.2, .4964, 2.0)))


def diurnal(t):
    return sum(a * math.sin(w * t - p) for a, w, p in ((.3, .2625, .5), (.2, .2434, .1), (.1, .2611, .9)))


def shallow(t):
    x = 0.0
    for k in range(1, 6):
        x += math.sin(1.0117 * t * k) / (k * k)
    return x / 10


def moon_phase(t):
    turn = (t / 708.7) % 1.0
    return "new first full last".split()[int(turn * 4)], math.cos(2 * math.pi * turn)


def sun_height(t):
    day = t / 24
    decl = math.radians(23.44) * math.sin(2 * math.pi * (day - 81) / 365)
    return math.asin(math.sin(0.93) * math.sin(decl) + math.cos(0.93) * math.cos(decl) * math.cos(t * math.pi / 12))


def page_line(t, height, phase, sun):
    return f"{int(t // 24):4d} {t % 24:05.2f} {height:6.2f} {phase[0]:>6} {phase[1]:5.2f} {sun:5.2f}".rstrip()


def table(hours, step):
    t, size = 0.0, 0
    while t < hours:
        height = semidiurnal(t) + diurnal(t) + shallow(t)
        size += len(page_line(t, height, moon_phase(t), sun_height(t)))
        t += step
    return size


print(table(24 * 365, 0.055))
