@profile
def label_all(shipments, customers):
    labels = []
    by_key = {c.key: c for c in customers}
    for shipment in shipments:
        to = by_key[shipment.customer]
        kilos = shipment.grams / 1000
        labels.append(f"{shipment.number} {to.name:<20} {to.city} {kilos:.1f} kg")
    return labels
