"""Plan tomorrow's delivery tours from the depot files."""
from fleet.depots import load_depots
from fleet.tours import plan


def main():
    depots = load_depots("depots.yaml")
    tours = [plan(d) for d in depots]
    print(sum(t.length_km for t in tours), "km in", len(tours), "tours")


if __name__ == "__main__":
    main()
