"""Thermostat control loop of a house, one simulated day."""
import math
import time


def outside(minute):
    return 8 - 6 * math.cos(minute / 1440 * 2 * math.pi)


def main():
    inside, on, burned = 19.0, False, 0
    for minute in range(1440):
        inside += (outside(minute) - inside) / 400 + (0.09 if on else 0)
        on = inside < 20 if on else inside < 19
        burned += on
        time.sleep(0.001)
    print(round(inside, 1), burned)


main()
